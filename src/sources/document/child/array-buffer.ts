/** What pdf.js takes for granted of an ArrayBuffer, and Node 20 does not have yet. Without it pages lose their fonts, and what they draw after them. */

interface Transferable {
  transferToFixedLength?(length?: number): ArrayBuffer;
}

/** Source: ECMAScript 2024, ArrayBuffer.prototype.transferToFixedLength. */
export function completeArrayBuffer(): void {
  const prototype: Transferable = ArrayBuffer.prototype;
  prototype.transferToFixedLength ??= function (this: ArrayBuffer, length = this.byteLength): ArrayBuffer {
    const moved = structuredClone(this, { transfer: [this] });
    if (length === moved.byteLength) return moved;
    const target = new ArrayBuffer(length);
    new Uint8Array(target).set(new Uint8Array(moved, 0, Math.min(length, moved.byteLength)));
    return target;
  };
}
