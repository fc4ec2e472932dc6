import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DigitalDiscord, generateSnowflake } from 'discord-digital-twin';
import { isJsonObject } from '../../../../src/lib/json.ts';

export interface TwinPlan {
  /** Name → id of those in the guild. */
  readonly people: Readonly<Record<string, string>>;
  /** Name → id of its text channels. */
  readonly channels: Readonly<Record<string, string>>;
  readonly token: string;
  /** Where the gateway is said to be. */
  readonly gatewayUrl: string;
}

/** A server that runs, in which everybody can be written to by the bot. */
export interface RunningTwin {
  readonly discord: DigitalDiscord;
  /** The chats that the people have with the bot alone: name → id. */
  readonly directs: Readonly<Record<string, string>>;
  /** Ends it and removes its database. Nobody may still be connected. */
  stop(): Promise<void>;
}

/** Starts the server on a free port of this machine, with a database in a folder of its own. */
export async function startTwin({ people, channels, token, gatewayUrl }: TwinPlan): Promise<RunningTwin> {
  const folder = mkdtempSync(join(tmpdir(), 'keyturn-twin-'));
  const discord = new DigitalDiscord({
    guild: { name: 'Twins' },
    channels: Object.entries(channels).map(([name, id]) => ({ id, name, type: 0 })),
    users: Object.entries(people).map(([username, id]) => ({ id, username })),
    botUser: { username: 'Keyturn' },
    botToken: token,
    dbUrl: `file:${join(folder, 'twin.db')}`,
    gatewayUrlOverride: gatewayUrl,
  });
  await onThisMachine(() => discord.start());
  const directs = Object.fromEntries(Object.keys(people).map((name) => [name, generateSnowflake()]));
  // It has no way to open them, but knows what they are.
  await discord.prisma.channel.createMany({ data: Object.values(directs).map((id) => ({ id, type: 1 })) });
  const stop = async (): Promise<void> => {
    await discord.stop();
    await discord.prisma.$disconnect();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  return { discord, directs, stop };
}

const listening = 'tracing:net.server.listen:asyncStart';

/** The server would listen to the whole network, and takes no address: Node tells of it before it happens. */
async function onThisMachine(start: () => Promise<void>): Promise<void> {
  let isSeen = false;
  const stayHere = (message: unknown): void => {
    if (!isJsonObject(message) || !isJsonObject(message.options)) return;
    isSeen = true;
    Object.assign(message.options, { host: '127.0.0.1' });
  };
  subscribe(listening, stayHere);
  try {
    await start();
  } finally {
    unsubscribe(listening, stayHere);
  }
  if (!isSeen) throw new Error('Node does not say any more where a server is about to listen.');
}
