/**
 * A polyfill for ArrayBuffer methods that pdf.js uses and Node 20 lacks. Without it pages lose their fonts,
 * and everything drawn after them.
 */

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
