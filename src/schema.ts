/** Schemas of tools' inputs: the part of zod that dialects declare them with, and their JSON Schema. */

import * as zod from 'zod';
import type { Zod } from './dialects/dialect.ts';

/** Named one by one: a bundle leaves out what is not named, two thirds of zod with all its languages. */
export const kit: Zod = {
  boolean: zod.boolean,
  enum: zod.enum,
  int: zod.int,
  number: zod.number,
  preprocess: zod.preprocess,
  strictObject: zod.strictObject,
  string: zod.string,
};

/** JSON Schema 2020-12, without the bounds that every integer has: they are sent with each request of a session. */
export function jsonSchemaOf(schema: zod.ZodType): Record<string, unknown> {
  const json = zod.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  // Zod hides a `~standard` in it, by which some libraries take plain data for a schema of Zod.
  return JSON.parse(JSON.stringify(json)) as Record<string, unknown>;
}
