/** Schemas of the inputs of tools: the functions of zod that dialects declare them with, and their JSON Schema. */

import * as zod from 'zod';
import type { Zod } from './dialects/dialect.ts';

/** Each function is listed, so that a bundler can omit the rest: two thirds of zod, above all its locales. */
export const kit: Zod = {
  boolean: zod.boolean,
  enum: zod.enum,
  int: zod.int,
  number: zod.number,
  preprocess: zod.preprocess,
  strictObject: zod.strictObject,
  string: zod.string,
};

/** JSON Schema 2020-12. The maximum that zod adds to every integer is omitted: hosts send schemas with each request to a model. */
export function jsonSchemaOf(schema: zod.ZodType): Record<string, unknown> {
  const json = zod.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  // Removes a hidden property `~standard` of zod, by which some libraries mistake plain data for a schema of zod.
  return JSON.parse(JSON.stringify(json)) as Record<string, unknown>;
}
