/**
 * Replaces the SDK's default JSON Schema validator, which would load ajv (300 KB) at every start. The SDK uses it only to
 * validate forms that a person has filled in, which oriel does not use.
 */

import { createRequire } from 'node:module';
import type { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';

export { default as process } from 'node:process';

/** The SDK's validator, loaded on first use. */
export class DefaultJsonSchemaValidator {
  readonly getValidator: AjvJsonSchemaValidator['getValidator'] = (schema) => {
    const load = createRequire(import.meta.url);
    const ajv = load('@modelcontextprotocol/server/validators/ajv') as {
      AjvJsonSchemaValidator: typeof AjvJsonSchemaValidator;
    };
    return new ajv.AjvJsonSchemaValidator().getValidator(schema);
  };
}
