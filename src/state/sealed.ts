/**
 * Encrypts and authenticates the values of a shared store. Someone who can read the store cannot read the values; someone
 * who can write to it cannot change them or move them to another key. Not prevented: removing a value, and restoring an
 * older value of the same key.
 */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Changed with the layout: values of another version count as missing. */
const VERSION = 'oriel-1';

const IV_BYTES = 16;
const MAC_BYTES = 32;

/** Encrypt-then-MAC: AES-256-CTR, and HMAC-SHA-256 over the version, the key, the IV and the ciphertext. */
export class Seal {
  readonly #names: Buffer;
  readonly #cipher: Buffer;
  readonly #mac: Buffer;

  /** `secret`: the key of the operator, the same on all replicas. */
  constructor(secret: Uint8Array) {
    const derived = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, VERSION, use, 32));
    this.#names = derived('names');
    this.#cipher = derived('cipher');
    this.#mac = derived('mac');
  }

  /** A keyed hash of `text`, which reveals nothing without the secret. */
  nameOf(text: string): string {
    return createHmac('sha256', this.#names).update(text).digest('base64url');
  }

  close(key: string, bytes: Uint8Array): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-ctr', this.#cipher, iv);
    const encrypted = cipher.update(bytes);
    return `${VERSION}.${Buffer.concat([iv, this.#macOf(key, iv, encrypted), encrypted]).toString('base64')}`;
  }

  /** The decrypted bytes; undefined unless they were encrypted under this key, with this secret, in this version. */
  open(key: string, sealed: string): Buffer | undefined {
    if (!sealed.startsWith(`${VERSION}.`)) return undefined;
    const bytes = Buffer.from(sealed.slice(VERSION.length + 1), 'base64');
    if (bytes.length < IV_BYTES + MAC_BYTES) return undefined;
    const iv = bytes.subarray(0, IV_BYTES);
    const mac = bytes.subarray(IV_BYTES, IV_BYTES + MAC_BYTES);
    const encrypted = bytes.subarray(IV_BYTES + MAC_BYTES);
    if (!timingSafeEqual(mac, this.#macOf(key, iv, encrypted))) return undefined;
    return createDecipheriv('aes-256-ctr', this.#cipher, iv).update(encrypted);
  }

  #macOf(key: string, iv: Uint8Array, encrypted: Uint8Array): Buffer {
    const front = JSON.stringify([VERSION, key]);
    return createHmac('sha256', this.#mac)
      .update(`${front.length}:${front}`)
      .update(iv)
      .update(encrypted)
      .digest();
  }
}
