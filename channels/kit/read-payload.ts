import { z } from 'zod';

/** What is wrong in something that we can do without must not cost the rest. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** Those of the entries that can be read; none where there is no list. */
export function list<Schema extends z.ZodType>(schema: Schema) {
  return z
    .array(lenient(schema))
    .default([])
    .catch([])
    .transform((entries) => entries.filter((entry) => entry !== undefined));
}

/** A text that we can do without. */
export const optionalText = lenient(z.string());

/** What a file is, as far as its media type says so. */
export function mediaKind(mediaType = ''): 'image' | 'audio' | 'video' | 'file' {
  const [family] = mediaType.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'file';
}
