import { z } from 'zod';
import { ownMistake } from './form.ts';

const mostTogether = 6000;

const embedForm = z.looseObject({
  title: z.string().max(256).nullish(),
  description: z.string().max(4096).nullish(),
  url: z.string().nullish(),
  color: z.number().int().min(0).max(0xffffff).nullish(),
  timestamp: z.string().nullish(),
  footer: z.looseObject({ text: z.string().max(2048) }).nullish(),
  author: z.looseObject({ name: z.string().max(256) }).nullish(),
  image: z.looseObject({ url: z.string() }).nullish(),
  thumbnail: z.looseObject({ url: z.string() }).nullish(),
  fields: z
    .array(
      z.looseObject({
        name: z.string().min(1).max(256),
        value: z.string().min(1).max(1024),
        inline: z.boolean().optional(),
      }),
    )
    .max(25)
    .nullish(),
});

/** What can be read, however long it is: a check adds up even what is too long by itself. */
const readableForm = z.looseObject({
  title: z.string().nullish(),
  description: z.string().nullish(),
  footer: z.looseObject({ text: z.string() }).nullish(),
  author: z.looseObject({ name: z.string() }).nullish(),
  fields: z.array(z.looseObject({ name: z.string(), value: z.string() })).nullish(),
});

export const embedsForm = z
  .array(embedForm)
  .max(10)
  .superRefine((embeds, context) => {
    const length = embedTexts(embeds).reduce((sum, text) => sum + text.length, 0);
    const words = `Embed size exceeds maximum size of ${mostTogether}`;
    if (length > mostTogether) context.addIssue(ownMistake('MAX_EMBED_SIZE_EXCEEDED', words));
    for (const [index, embed] of embeds.entries())
      if (Object.values(embed).every((value) => value === null || value === undefined))
        context.addIssue(ownMistake('BASE_TYPE_REQUIRED', 'This field is required', [index, 'description']));
  });

/** What a person reads in the embeds, one text for each part. */
export function embedTexts(embeds: readonly unknown[]): readonly string[] {
  return z
    .array(readableForm)
    .parse(embeds)
    .flatMap(({ author, title, description, fields, footer }) => [
      author?.name ?? '',
      title ?? '',
      description ?? '',
      ...(fields ?? []).flatMap(({ name, value }) => [name, value]),
      footer?.text ?? '',
    ])
    .filter((text) => text !== '');
}
