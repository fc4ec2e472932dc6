import type { Origin } from '../../engine/message.ts';
import type { Feature, FeatureCore, FeatureDefinition, PartFault } from '../../feature-points.ts';
import { escapeMarkdown, inlineCode } from '../../lib/plain-text.ts';
import { clockTime, dayWords, isSameDay, type Reader } from '../../lib/time-words.ts';
import type { InLanguage } from '../../lib/words.ts';
import { enabledWebhooks, type WebhookSettings, webhooksSettings } from './settings.ts';
import { createWebhookStore, type WebhookStore } from './tables.ts';
import { type Refusals, Tally } from './tally.ts';
import { webhookWords } from './words.ts';

/** Other programs start messages: `POST /hook/NAME` at the gateway. The config is read at each request. */
export const webhooks: FeatureDefinition = { name: 'webhooks', settings: webhooksSettings, make: makeWebhooks };

interface WebhooksContext {
  readonly core: FeatureCore;
  readonly stored: WebhookStore;
  readonly tally: Tally;
}

function makeWebhooks(core: FeatureCore): Feature {
  const context = { core, stored: createWebhookStore(core.database), tally: new Tally(core) };
  let door: Promise<(request: Request) => Promise<Response>> | undefined;
  core.webRoutes.set('hook', async (request) => {
    door ??= import('./door.ts').then(({ createDoor }) => {
      return createDoor({ ...core, webhooks: context.stored, tally: context.tally });
    });
    return (await door)(request);
  });
  return {
    async start() {
      for (const { words } of await unknownChats(context)) core.log.warn({}, words('en'));
    },
    faults: () => unknownChats(context),
    status: (origin) => status(origin, context),
  };
}

interface UnknownChat extends PartFault {
  readonly words: InLanguage;
}

async function unknownChats({ core, stored }: WebhooksContext): Promise<readonly UnknownChat[]> {
  const faults = [...enabledWebhooks(core.settings(webhooksSettings))].map(async ([name, { chat }]) => {
    const words: InLanguage = (language) => webhookWords[language].unknownChat({ name, chat });
    return (await stored.knows(chat)) ? [] : [{ place: ['webhooks', name], words }];
  });
  return (await Promise.all(faults)).flat();
}

async function status(origin: Origin, context: WebhooksContext): Promise<readonly string[]> {
  const { core, stored, tally } = context;
  const open = enabledWebhooks(core.settings(webhooksSettings));
  if (open.size === 0 || !core.owners.isOwner(origin.principal)) return [];
  const reader = core.readers.forAnswer(origin);
  const counts = await stored.counts([...open.keys()]);
  const lines = [...open].map(([name, webhook]) =>
    statusLine(name, webhook, {
      ...counts.get(name),
      refusals: tally.refusalsOf(name),
      now: core.clock.now(),
      reader,
    }),
  );
  const unknown = await unknownChats(context);
  const faults = unknown.map(({ words }) => `- ⚠️ ${escapeMarkdown(words(reader.language))}`);
  return [[webhookWords[reader.language].heading, ...lines, ...faults].join('\n')];
}

interface StatusFacts {
  readonly deliveries?: number;
  readonly lastAt?: number | undefined;
  readonly refusals: Refusals | undefined;
  readonly now: number;
  readonly reader: Reader;
}

function statusLine(
  name: string,
  { chat }: WebhookSettings,
  { deliveries = 0, lastAt, refusals, now, reader }: StatusFacts,
): string {
  const momentOf = (at: number) => {
    const isToday = isSameDay(at, now, reader);
    return { isToday, moment: isToday ? clockTime(at, reader) : dayWords(at, reader) };
  };
  return webhookWords[reader.language].line({
    name: escapeMarkdown(name),
    chat: inlineCode(chat),
    taken: deliveries,
    last: lastAt === undefined ? undefined : momentOf(lastAt),
    refused: refusals && { count: refusals.count, last: momentOf(refusals.at), why: refusals.why },
  });
}
