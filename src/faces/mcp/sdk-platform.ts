/**
 * Replaces the SDK's own choice of a JSON Schema validator: that one brings ajv, 300 KB which every start would
 * parse. The SDK validates with it what a person has filled into a form, which no tool of ours asks for.
 */

import { createRequire } from 'node:module';
import type { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';

export { default as process } from 'node:process';

/** The SDK's validator, loaded when the first schema comes. */
export class DefaultJsonSchemaValidator {
  readonly getValidator: AjvJsonSchemaValidator['getValidator'] = (schema) => {
    const load = createRequire(import.meta.url);
    const ajv = load('@modelcontextprotocol/server/validators/ajv') as {
      AjvJsonSchemaValidator: typeof AjvJsonSchemaValidator;
    };
    return new ajv.AjvJsonSchemaValidator().getValidator(schema);
  };
}
