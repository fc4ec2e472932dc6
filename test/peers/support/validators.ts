import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** Where `.ci/run` installs `validator-requirements.txt`. */
const python = join(import.meta.dirname, '../.validators/bin/python');

/** Why the validators cannot run here, in words for who runs the tests; undefined if they can. */
export function lackOfValidators(): string | undefined {
  if (!existsSync(python)) return 'test/peers/.validators is not there (.ci/run installs it)';
  const use = 'import aiogram.methods, slack_sdk.models.blocks';
  const { status, stderr } = spawnSync(python, ['-c', use], { encoding: 'utf8', timeout: 100_000 });
  return status === 0 ? undefined : `test/peers/.validators does not work: ${stderr.trim().split('\n').at(-1) ?? ''}`;
}

/** A request by its method, to Telegram or Slack. */
export interface MethodRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What models that others have written say against requests: each fault once. */
export async function methodFaults(
  platform: 'telegram' | 'slack',
  requests: readonly MethodRequest[],
): Promise<readonly string[]> {
  const script = join(import.meta.dirname, `validators/${platform}.py`);
  const child = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`${script} has ended with ${code}.`);
  return [...new Set(said.split('\n').filter((line) => line !== ''))];
}

/** A request with a body, to Discord. */
export interface BodyRequest {
  /** Its method, and its path with `:name` for what differs. */
  readonly route: string;
  readonly body?: unknown;
}

/** Discord's own schemas of the bodies of requests. */
const schemaNames: Readonly<Record<string, readonly string[]>> = {
  'POST /channels/:channel/messages': ['MessageCreateRequest'],
  'PATCH /channels/:channel/messages/:message': ['MessageEditRequestPartial'],
  'POST /interactions/:interaction/:token/callback': [
    'ApplicationCommandAutocompleteCallbackRequest',
    'CreateMessageInteractionCallbackRequest',
    'ModalInteractionCallbackRequest',
    'UpdateMessageInteractionCallbackRequest',
  ],
  'POST /webhooks/:application/:token': ['IncomingWebhookRequestPartial'],
  'PATCH /webhooks/:application/:token/messages/:message': ['IncomingWebhookUpdateRequestPartial'],
  'PUT /applications/:application/commands': ['ApplicationCommandUpdateRequest'],
  'POST /users/@me/channels': ['CreatePrivateChannelRequest'],
  'PATCH /applications/@me': ['ApplicationFormPartial'],
  'PATCH /channels/:channel': ['UpdateThreadRequestPartial'],
};
/** The schema allows twice as many, for people who pay. */
const longestContent = 2000;

const parser = z.custom<{ safeParse(value: unknown): { success: boolean; data?: unknown; error?: unknown } }>(
  (value) => typeof value === 'object' && value !== null && 'safeParse' in value,
);

/** What Discord's OpenAPI says against requests: each fault once. A field that it does not have counts as one. */
export async function bodyFaults(requests: readonly BodyRequest[]): Promise<readonly string[]> {
  const specification = 'discord-api-spec/zod';
  const known: Readonly<Record<string, unknown>> = await import(specification);
  const faults = requests.flatMap(({ route, body }) => {
    const template = route.replace(/^(\w+ \/applications)\/\d+/, '$1/:application');
    const names = schemaNames[template];
    if (names === undefined) return [`${template}: no schema is named for it here`];
    const schemas = names.map((name) => parser.parse(known[`${name}Schema`]));
    const bodies: readonly unknown[] = Array.isArray(body) ? body : [body];
    return bodies.flatMap((one) => faultsOf(one, schemas).map((fault) => `${template}: ${fault}`));
  });
  return [...new Set(faults)];
}

function faultsOf(body: unknown, schemas: readonly z.output<typeof parser>[]): readonly string[] {
  const results = schemas.map((schema) => schema.safeParse(body));
  const { content = '' } = z.looseObject({ content: z.string().nullish() }).parse(body);
  if ((content ?? '').length > longestContent) return ['the content is too long'];
  // What a schema does not have is left out of what it gives.
  if (results.some(({ success, data }) => success && isDeepStrictEqual(data, body))) return [];
  return [
    `${JSON.stringify(body).slice(0, 500)}: ${String(results.map(({ error }) => error ?? 'a field is not known'))}`,
  ];
}
