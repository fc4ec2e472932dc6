import type { Feature, FeatureCore, FeatureDefinition, PartFault } from '../../feature-points.ts';
import { escapeMarkdown, inlineCode } from '../../lib/plain-text.ts';
import { clockTime, dayWords, isSameDay, type Reader } from '../../lib/time-words.ts';
import { enabledWebhooks, type WebhookSettings, webhooksSettings } from './settings.ts';
import { createWebhookStore } from './tables.ts';
import { createTally, type Refusals } from './tally.ts';

/** Other programs start messages: `POST /hook/NAME` at the gateway. The config is read at each request. */
export const webhooks: FeatureDefinition = { name: 'webhooks', settings: webhooksSettings, make: makeWebhooks };

function makeWebhooks(core: FeatureCore): Feature {
  const settings = core.settings(webhooksSettings);
  const { log, clock, owners, readers, webRoutes } = core;
  const stored = createWebhookStore(core.database);
  const tally = createTally({ clock, log });
  let door: Promise<(request: Request) => Promise<Response>> | undefined;
  webRoutes.set('hook', async (request) => {
    door ??= import('./door.ts').then(({ createDoor }) => createDoor({ ...core, webhooks: stored, tally }));
    return (await door)(request);
  });

  async function unknownChats(): Promise<readonly (PartFault & { readonly words: string })[]> {
    const faults = [...enabledWebhooks(settings)].map(async ([name, { chat }]) =>
      (await stored.knows(chat)) ? [] : [{ place: ['webhooks', name], words: unknownWords(name, chat) }],
    );
    return (await Promise.all(faults)).flat();
  }

  return {
    async start() {
      for (const { words } of await unknownChats()) log.warn({}, words);
    },
    faults: unknownChats,
    async status(origin) {
      const open = enabledWebhooks(settings);
      if (open.size === 0 || !owners.isOwner(origin.principal)) return [];
      const reader = readers.forAnswer(origin);
      const counts = await stored.counts([...open.keys()]);
      const lines = [...open].map(([name, webhook]) =>
        statusLine(name, webhook, { ...counts.get(name), refusals: tally.refusalsOf(name), now: clock.now(), reader }),
      );
      const unknown = await unknownChats();
      return [['Webhooks:', ...lines, ...unknown.map(({ words }) => `- ⚠️ ${escapeMarkdown(words)}`)].join('\n')];
    },
  };
}

function unknownWords(name: string, chat: string): string {
  return `The webhook ${name} cannot speak in ${chat} yet: nobody has written to Keyturn there. Write there once.`;
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
  const at = (time: number): string =>
    isSameDay(time, now, reader) ? `at ${clockTime(time, reader)}` : `on ${dayWords(time, reader)}`;
  const last = lastAt === undefined ? '' : `, the last ${at(lastAt)}`;
  const refused =
    refusals === undefined
      ? ''
      : `; ${refusals.count} refused since the start, the last ${at(refusals.at)}: ${escapeMarkdown(refusals.why)}`;
  return `- ${escapeMarkdown(name)} in ${inlineCode(chat)}: ${deliveries} taken${last}${refused}`;
}
