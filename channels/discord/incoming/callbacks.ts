import { InteractionResponseType, MessageFlags, RESTJSONErrorCodes as Reason } from 'discord-api-types/v10';
import { z } from 'zod';
import { ChannelError } from '../../../src/contract.ts';
import { backOff } from '../../../src/lib/back-off.ts';
import { type Clock, sleep } from '../../../src/lib/clock.ts';
import type { Log } from '../../../src/lib/log.ts';
import type { ApiRoute, DiscordApi, Method } from '../web-api/api.ts';
import { refusalCode } from '../web-api/failure.ts';
import type { InteractionDoor } from './payload.ts';

export interface CallbacksDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The first answer to an interaction, as Discord takes it. */
export interface FirstAnswer {
  readonly type: InteractionResponseType;
  readonly data?: object;
}

/** Discord waits 3 s for the first answer. */
const patience = 2_700;
const firstPause = 250;

/** What a person who presses or commands is told at once, and nobody else. The token of the interaction speaks for us. */
export class Callbacks {
  readonly #dependencies: CallbacksDependencies;

  constructor(dependencies: CallbacksDependencies) {
    this.#dependencies = dependencies;
  }

  /** Gives the first answer, as often as it takes within the time for it. Whether Discord has it; never throws. */
  async answer({ id, token }: InteractionDoor, answer: FirstAnswer): Promise<boolean> {
    const { api, clock, log } = this.#dependencies;
    const late = new AbortController();
    const cancel = clock.after(patience, () => late.abort());
    const options = { body: answer, auth: false, repeatable: true, signal: late.signal };
    try {
      for (let tries = 0; !late.signal.aborted; tries += 1) {
        try {
          await api.call('POST', `/interactions/${id}/${encodeURIComponent(token)}/callback`, options);
          return true;
        } catch (error) {
          const code = refusalCode(error);
          if (code === Reason.InteractionHasAlreadyBeenAcknowledged) return true;
          log.debug({ interaction: id, err: error }, 'an interaction could not be answered');
          if (code !== undefined) return false;
          await sleep(clock, pauseAfter(error, tries), late.signal);
        }
      }
      return false;
    } finally {
      cancel();
    }
  }

  /** Answers for the first time with words. */
  async refuse(interaction: InteractionDoor, words: string): Promise<void> {
    await this.answer(interaction, {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: whisper(words),
    });
  }

  /** Says something more. */
  async tell(interaction: InteractionDoor, words: string): Promise<void> {
    await this.#call('POST', interaction, '', whisper(words));
  }

  /** Whether the person still sees "is thinking", and nothing else. False if Discord does not say. */
  async isThinking(interaction: InteractionDoor): Promise<boolean> {
    const { data } = waitingShape.safeParse(await this.#call('GET', interaction, '/messages/@original'));
    return data !== undefined && (data.flags & MessageFlags.Loading) !== 0;
  }

  /** Puts words in the place of "is thinking". */
  async fill(interaction: InteractionDoor, words: string): Promise<void> {
    const { content, allowed_mentions } = whisper(words);
    await this.#call('PATCH', interaction, '/messages/@original', { content, allowed_mentions });
  }

  /** Takes "is thinking" away. */
  async clear(interaction: InteractionDoor): Promise<void> {
    await this.#call('DELETE', interaction, '/messages/@original');
  }

  async #call(method: Method, interaction: InteractionDoor, path: string, body?: object): Promise<unknown> {
    const { api, log } = this.#dependencies;
    const { application_id: application, id, token } = interaction;
    const route: ApiRoute = `/webhooks/${application}/${encodeURIComponent(token)}${path}`;
    try {
      return await api.call(method, route, { auth: false, repeatable: true, ...(body !== undefined && { body }) });
    } catch (error) {
      log.debug({ interaction: id, err: error }, 'a person could not be told something');
      return undefined;
    }
  }
}

function pauseAfter(error: unknown, tries: number): number {
  const isLimited = error instanceof ChannelError && error.fault.type === 'rate-limited';
  return isLimited ? error.fault.retryAfter : backOff(tries + 1, { firstPause });
}

const waitingShape = z.object({ flags: z.int().nonnegative() });

/** Longer ones Discord refuses. */
const longestWords = 2_000;

function whisper(words: string) {
  const content = words.slice(0, longestWords).toWellFormed();
  return { content, flags: MessageFlags.Ephemeral, allowed_mentions: { parse: [] } };
}
