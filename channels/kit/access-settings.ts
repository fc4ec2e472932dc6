import { z } from 'zod';
import { schemaText } from '../../src/lib/schema-text.ts';
import type { InLanguage } from '../../src/lib/words.ts';

export interface AccessTexts {
  /** Pattern of a person's id, without anchors and capturing groups. */
  readonly id: string;
  readonly errors: {
    /** Says where to find an id. */
    readonly id: InLanguage;
    /** The same where "owner" and "*" are valid too. */
    readonly commander: InLanguage;
    /** For an id that is not a string. Default: `id`. */
    readonly type?: InLanguage;
  };
  readonly descriptions: {
    /** As "A user id". */
    readonly id: string;
    readonly ids: string;
    /** As "in this channel". */
    readonly there: string;
    /** When the bot answers, as "mentioned, replied to, or given a command". */
    readonly addressed: string;
  };
}

/** The access settings that the channels share: who may talk to the bot and use its commands. */
export function accessSettings({ id, errors, descriptions }: AccessTexts) {
  const { id: description, ids, there, addressed } = descriptions;
  const typeError = schemaText(errors.type ?? errors.id);
  const personId = z
    .string({ error: typeError })
    .regex(new RegExp(`^(?:\\*|${id})$`), { error: schemaText(errors.id) })
    .describe(`${description}, or "*" for everyone.`);
  const commander = z
    .string({ error: typeError })
    .regex(new RegExp(`^(?:\\*|owner|${id})$`), { error: schemaText(errors.commander) })
    .describe(`${description}, "owner", or "*" for all.`);
  const requireMention = z
    .boolean()
    .default(true)
    .describe(`Whether the bot answers ${there} only when it is ${addressed}.`);
  const followThreads = z
    .boolean()
    .default(true)
    .describe('Whether the bot answers without a mention in a thread where it has taken part.');
  const lists = {
    allow_from: z
      .array(personId)
      .default([])
      .describe(`Who may talk to the bot ${there} besides those who may anywhere. ["*"] is everyone there.`),
    commands_from: z
      .array(commander)
      .default(['*'])
      .describe(
        `Which of them may use commands ${there}, besides the owners. ["owner"]: only owners. ["*"]: all. ` +
          'Approvals have their own rules, and everybody may use /help and /status.',
      ),
    time_zone: z
      .optional(z.string())
      .describe('The time zone there, for people whose own is not known. Default: that of tools.schedule.'),
  };
  return {
    allowFrom: z
      .array(personId)
      .default([])
      .describe(`Who may talk, besides the owners and people let in with /pair, as ${ids}. ["*"] is everyone.`),
    group: z.strictObject({ require_mention: requireMention, ...lists }).describe(`How the bot behaves ${there}.`),
    /** For platforms with threads. */
    threadedGroup: z
      .strictObject({ require_mention: requireMention, follow_threads: followThreads, ...lists })
      .describe(`How the bot behaves ${there}.`),
  };
}

export const reactions = z
  .union([z.boolean(), z.literal('groups')])
  .default('groups')
  .describe(
    'Where the bot marks a message with a reaction when it is seen, and when it is answered: in "groups", everywhere (true), or nowhere (false).',
  );

export type ReactionSetting = z.output<typeof reactions>;

/** `request`: as "a request to Slack". */
export function requestTimeout(request: string, seconds: number) {
  return z.int().min(1).max(600).default(seconds).describe(`How long ${request} may take, in seconds.`);
}

/** A record with keys of this shape. `words`: the error for other keys. */
export function keyed<Value extends z.ZodType>(shape: RegExp, words: InLanguage, value: Value) {
  const error = schemaText(words);
  return z.record(z.string().regex(shape, { error }), value, {
    error: ({ code }) => (code === 'invalid_key' ? error : undefined),
  });
}
