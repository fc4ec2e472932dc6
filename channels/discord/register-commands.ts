import { ApplicationCommandOptionType, ApplicationCommandType } from 'discord-api-types/v10';
import { z } from 'zod';
import { ChannelError, type ChannelFault, commandMenu, type OfferedCommand } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { type Clock, sleep } from '../../src/lib/clock.ts';
import { canonicalJson, type JsonValue } from '../../src/lib/json.ts';
import type { Log } from '../../src/lib/log.ts';
import type { DiscordApi } from './web-api/api.ts';

export interface RegisterDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly applicationId: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const firstPause = 1_000;
const longestPause = 300_000;

/**
 * Has Discord offer our commands to a person who types "/". They are written only if others stand there: Discord allows
 * 200 a day. What fails for now is tried again until the signal aborts.
 */
export async function registerCommands({
  api,
  applicationId,
  clock,
  log,
  signal,
}: RegisterDependencies): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const route = `/applications/${applicationId}/commands` as const;
      if (!isRegistered(await api.call('GET', route, { signal })))
        await api.call('PUT', route, { body: slashCommands(), repeatable: true, signal });
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ChannelError)) throw error;
      const pause = pauseAfter(error.fault, failures);
      if (pause === undefined) {
        log.warn({ reason: error.message }, 'Discord refuses the menu of commands');
        return;
      }
      log.debug({ reason: error.message }, 'the menu of commands will be registered again');
      await sleep(clock, pause, signal);
    }
  }
}

/** The one option of a command that takes words. */
export const wordsOption = 'text';

/** The commands as Discord has them written. */
function slashCommands(): readonly JsonValue[] {
  return commandMenu.map(slashCommand);
}

function slashCommand({ name, description, words }: OfferedCommand): JsonValue {
  const option = { type: ApplicationCommandOptionType.String, name: wordsOption, required: false };
  const options = words === undefined ? [] : [{ ...option, description: words }];
  return { type: ApplicationCommandType.ChatInput, name, description, options };
}

const registeredShape = z.array(
  z.object({
    type: z.number().default(ApplicationCommandType.ChatInput),
    name: z.string(),
    description: z.string(),
    options: z
      .array(
        z.object({
          type: z.number(),
          name: z.string(),
          required: z.boolean().default(false),
          description: z.string(),
        }),
      )
      .default([]),
  }),
);

/** Whether what stands there is what we would write, in whatever order. */
function isRegistered(answer: unknown): boolean {
  const { data } = registeredShape.safeParse(answer);
  return data !== undefined && spelling(data) === spelling(slashCommands());
}

function spelling(commands: readonly JsonValue[]): string {
  return commands.map(canonicalJson).sort().join('\n');
}

/** In milliseconds; undefined where trying again would not help. */
function pauseAfter(fault: ChannelFault, failures: number): number | undefined {
  switch (fault.type) {
    case 'rate-limited':
      return Math.max(firstPause, fault.retryAfter);
    case 'transient':
    case 'ambiguous':
      return backOff(failures + 1, { firstPause, longestPause });
    case 'permanent':
    case 'auth':
    case 'moved':
      return undefined;
  }
}
