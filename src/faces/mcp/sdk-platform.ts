/**
 * Replaces the SDK's default JSON Schema validator, which would load ajv (300 KB) at every start. The SDK uses it only to
 * validate forms that a person has filled in, which oriel does not use.
 */

export { default as process } from 'node:process';

export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('oriel has no forms to validate');
  }
}
