import { z } from 'zod';
import type { Finding, KeyPath } from '../../config/config-error.ts';
import { keyFault } from '../../config/cross-checks.ts';
import { enabledChannels } from '../../config/extension-settings.ts';
import { bytes, conversation, count, headerName, listOf, off, on, text } from '../../config/setting-kinds.ts';
import { type Around, settingsPart } from '../../config/settings-part.ts';
import { schemaText } from '../../lib/schema-text.ts';
import { webhookSettingWords } from './settings/words.ts';

function wrong(key: 'field' | 'secret' | 'name'): string {
  return schemaText((language) => webhookSettingWords[language][key]);
}

/** How a caller of a webhook proves itself. See `docs/webhooks.md`. */
export const signatureSchemes = ['github', 'standard', 'stripe', 'slack', 'hmac_sha256', 'bearer'] as const;

export type SignatureScheme = (typeof signatureSchemes)[number];

/** A key of a JSON object, or keys and indexes with dots between them. */
export const fieldPath = /^[\p{L}\p{N}_$@-]+(?:\.[\p{L}\p{N}_$@-]+)*$/u;

/** The name of a field in a prompt whose brace is not closed before the next one or the end, if there is one. */
function openPlaceholder(prompt: string): string | undefined {
  const open = prompt
    .split('{')
    .slice(1)
    .find((part) => /^[\p{L}\p{N}_$@-]/u.test(part) && !part.includes('}'));
  return open === undefined ? undefined : /^[\p{L}\p{N}_$@-]+(?:\.[\p{L}\p{N}_$@-]+)*/u.exec(open)?.[0];
}

const field = z.string().max(200).regex(fieldPath, wrong('field'));

export type WebhookSettings = z.output<ReturnType<typeof webhookIn>>;

function webhookIn(channelNames: readonly string[]) {
  return z.strictObject({
    enabled: on.describe('false: nobody can call it.'),
    chat: conversation(channelNames).describe(
      'Where it speaks: "channel:chat", as logs name a conversation. Somebody must have written to Keyturn there.',
    ),
    signature: z
      .enum(signatureSchemes)
      .describe(
        'How callers prove that they know the secret: as GitHub, Standard Webhooks, Stripe or Slack sign, by hmac_sha256 of the body, or bearer: by the secret itself.',
      ),
    secret: z.string().min(16, wrong('secret')).describe('The secret that the caller has, too.'),
    header_name: z
      .optional(headerName)
      .describe('The header with the signature, or with the secret for bearer. Default: that of the scheme.'),
    prompt: text
      .default('Tell the people here in a sentence or two what has happened.')
      .describe(
        'What the model is to do, in your words. {repository.name} stands for a field of the JSON that was sent.',
      ),
    body: z
      .enum(['json', 'text', 'none'])
      .default('json')
      .describe('What is sent: JSON or a form, plain text, or nothing that matters.'),
    fields: listOf(field).describe(
      'The fields of the JSON that the model reads, besides those in prompt. None in either: all of it.',
    ),
    when: z
      .record(field, z.array(text).min(1))
      .default({})
      .describe('Only deliveries whose fields have one of these values count: "action": ["opened"].'),
    id: z
      .optional(field)
      .describe('The field that tells deliveries apart: what comes with a known one is not done again.'),
    private: off.describe(
      'true: what is sent is private, like mail. Calls that could leak what was read in the chat ask.',
    ),
    max_per_minute: count(30, 1000).describe('The most deliveries in a minute. More are refused with 429.'),
    max_bytes: bytes(262_144, 4_194_304).describe('The longest body. A longer one is refused with 413.'),
  });
}

/** The key `webhooks`. */
export const webhooksSettings = settingsPart({
  keys: ({ channels }) =>
    z.object({
      webhooks: webhooksIn(channels)
        .default({})
        .describe(
          'What other programs may start by POST /hook/NAME at the gateway, by names that you choose: docs/webhooks.md.',
        ),
    }),
  switched: ['webhooks'],
  faults: (settings, around) => webhookFaults(settings, around),
});

/** What programs may send to `POST /hook/NAME`, by name. */
function webhooksIn(channelNames: readonly string[]) {
  const name = z.string().regex(/^[a-z][a-z0-9_-]{0,47}$/, wrong('name'));
  return z.record(name, webhookIn(channelNames));
}

/** The webhooks that can be called, by name. */
export function enabledWebhooks({ webhooks }: WebhookConfig): ReadonlyMap<string, WebhookSettings> {
  return new Map(Object.entries(webhooks).filter(([, { enabled }]) => enabled));
}

interface WebhookConfig {
  readonly webhooks: Readonly<Record<string, WebhookSettings>>;
}
/** Webhooks that nobody could call, or that could speak nowhere. */
function* webhookFaults(settings: WebhookConfig, { config, brought }: Around): Generator<Finding> {
  const webhooks = enabledWebhooks(settings);
  if (webhooks.size > 0 && brought.listeners.length === 0)
    yield keyFault(['webhooks'], (language) => webhookSettingWords[language].noGateway);
  for (const [name, webhook] of webhooks) {
    yield* payloadFaults(['webhooks', name], webhook);
    const { chat } = webhook;
    const channel = chat.slice(0, chat.indexOf(':'));
    if (!enabledChannels(config.channels).has(channel))
      yield {
        path: ['webhooks', name, 'chat'],
        text: (language) => webhookSettingWords[language].channelOff({ channel }),
      };
  }
}

/** What would be read as if it were not there. */
function* payloadFaults(path: KeyPath, { body, fields, id, when, prompt }: WebhookSettings): Generator<Finding> {
  const unused = Object.entries({
    fields: fields.length > 0,
    id: id !== undefined,
    when: Object.keys(when).length > 0,
  });
  for (const [key, isSet] of unused)
    if (isSet && body !== 'json')
      yield keyFault([...path, key], (language) => webhookSettingWords[language].noFields({ body }));
  const open = openPlaceholder(prompt);
  if (open !== undefined)
    yield { path: [...path, 'prompt'], text: (language) => webhookSettingWords[language].notClosed({ open }) };
}
