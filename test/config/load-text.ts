import { resolve } from 'node:path';
import { z } from 'zod';
import { ConfigError } from '../../src/config/config-error.ts';
import type { Environment } from '../../src/config/environment.ts';
import { type LoadedConfig, loadConfig } from '../../src/config/load.ts';
import { type Language, wordsIn } from '../../src/lib/words.ts';
import { featureParts } from '../support/whole-schema.ts';

const person = z.union([z.literal('*'), z.string().regex(/^\d+$/, 'expected a numeric id')]);
const group = z.strictObject({ muted: z.boolean(), allow_from: z.array(person).default([]) });

/** Two channels that stand for any: one is on by default, one needs a secret. */
export const standInChannels = {
  terminal: z.strictObject({ enabled: z.boolean().default(true) }),
  telegram: z
    .strictObject({
      enabled: z.boolean().default(false),
      token: z.string().default(''),
      allow_from: z.array(person).default([]),
      proxy: z.union([z.string(), z.strictObject({ host: z.string(), port: z.int().min(1).max(65_535) })]).default(''),
      groups: z.record(z.string().regex(/^-\d+$/, 'A chat is named by its id, such as "-100".'), group).default({}),
    })
    .refine(({ enabled, token }) => !enabled || token.includes(':'), {
      path: ['token'],
      error: 'this is not the token of a bot',
    })
    .superRefine(({ token }, context) => {
      if (token === 'tell-me-aloud')
        context.addIssue({ code: 'custom', message: `bad token ${token}`, path: ['token'] });
    }),
};

export interface Surroundings {
  readonly env?: Environment;
  /** The text of `.env`; undefined if there is none. */
  readonly envFile?: string;
  readonly explicit?: boolean;
  readonly path?: string;
  /** The texts of other files, by their paths from the config's folder. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Loads a config from its text; undefined stands for a file that is not there. */
export function loadText(text: string | Uint8Array | undefined, around: Surroundings = {}): Promise<LoadedConfig> {
  const path = around.path ?? 'config.json';
  const files = new Map([
    [resolve('/home/keyturn', path), text],
    [resolve('/home/keyturn', path, '..', '.env'), around.envFile],
    ...Object.entries(around.files ?? {}).map(([name, content]) => [resolve('/home/keyturn', name), content] as const),
  ]);
  return loadConfig({
    path,
    explicit: around.explicit ?? false,
    env: around.env ?? {},
    channels: standInChannels,
    parts: featureParts,
    cwd: '/home/keyturn',
    readFile: async (name) => {
      const content = files.get(name);
      if (content === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'ENOENT' });
      return typeof content === 'string' ? new TextEncoder().encode(content) : content;
    },
  });
}

/** What is said about a config that is allowed, but may be a mistake. */
export async function warningsOf(text: string, around: Surroundings = {}, language: Language = 'en') {
  return (await loadText(text, around)).warnings.map((warning) => wordsIn(language, warning));
}

/** What is said about a config that can't be used. */
export async function faultsOf(
  text: string | Uint8Array | undefined,
  around: Surroundings = {},
  language: Language = 'en',
): Promise<string> {
  const outcome: unknown = await loadText(text, around).catch((error: unknown) => error);
  if (outcome instanceof ConfigError) return outcome.in(language);
  throw outcome instanceof Error ? outcome : new Error('it was accepted');
}
