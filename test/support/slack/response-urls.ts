import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Events } from './events.ts';
import { contentFields, contentOf } from './message-content.ts';
import type { MessageMethods } from './message-methods.ts';
import { flag, read } from './parameters.ts';
import { Refusal } from './refusal.ts';
import type { Room, Rooms } from './rooms.ts';
import type { ScaledTime } from './scaled-time.ts';
import { selfOf } from './self.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly installation: Installation;
  readonly rooms: Rooms;
  readonly messages: MessageMethods;
  readonly events: Events;
  readonly time: ScaledTime;
  readonly root: () => string;
}

/** What was done where, by whom. */
export interface Occasion {
  readonly room: Room;
  readonly userId: string;
  /** The message whose button was pressed. */
  readonly ts?: string;
  readonly threadTs?: string;
}

const lifetime = 30 * 60;
const mostUses = 5;
const answer = z.object({
  ...{ ...contentFields, markdown_text: z.unknown().optional(), thread_ts: z.string().optional() },
  ...{ response_type: z.enum(['in_channel', 'ephemeral']).default('ephemeral') },
  ...{ replace_original: flag.default(false), delete_original: flag.default(false) },
});

/** The addresses at which the app may answer to what a person did, for a while and a few times. */
export class ResponseUrls {
  readonly #dependencies: Dependencies;
  readonly #occasions = new Map<string, Occasion & { readonly at: number; uses: number }>();
  #issued = 0;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  issue(occasion: Occasion): string {
    const { root, installation, time } = this.#dependencies;
    this.#issued += 1;
    const id = `r${this.#issued}`;
    this.#occasions.set(id, { ...occasion, at: time.now(), uses: 0 });
    return `${root()}/respond/${installation.teamId}/${id}`;
  }

  /** Does what the answer says. Throws a refusal. */
  respond(id: string, params: Readonly<Record<string, unknown>>): void {
    const occasion = this.#occasions.get(id);
    const { time } = this.#dependencies;
    if (occasion === undefined || time.isOver(occasion.at, lifetime)) throw new Refusal('expired_url');
    if (occasion.uses >= mostUses) throw new Refusal('used_url');
    const { markdown_text: _refusedHere, ...given } = read(answer, params);
    if (given.delete_original) this.#delete(occasion);
    else this.#show(occasion, given, contentOf(given));
    occasion.uses += 1;
  }

  /** None that was issued holds any more. */
  forget(): void {
    this.#occasions.clear();
  }

  /** What the app says to a slash command at once. */
  answerCommand(occasion: Occasion, said: JsonObject): void {
    if (said.text === undefined && said.blocks === undefined) return;
    const given = read(answer, said);
    this.#show(occasion, given, contentOf({ ...given, markdown_text: undefined }));
  }

  #delete({ room, ts }: Occasion): void {
    const at = room.ephemerals.findIndex((message) => message.ts === ts);
    if (at !== -1) room.ephemerals.splice(at, 1);
    const message = ts === undefined ? undefined : room.messages.get(ts);
    if (message === undefined) return;
    room.messages.delete(message.ts);
    this.#dependencies.events.deleted(message);
  }

  #show(
    { room, userId, ts = '', threadTs }: Occasion,
    given: Pick<z.output<typeof answer>, 'response_type' | 'replace_original' | 'thread_ts'>,
    content: ReturnType<typeof contentOf>,
  ): void {
    const { rooms, messages, events, installation } = this.#dependencies;
    const original = room.messages.get(ts);
    if (given.replace_original && original !== undefined) {
      events.changed(original, rooms.edit(original, content));
      return;
    }
    if (given.replace_original) this.#delete({ room, userId, ts });
    const thread = given.thread_ts ?? threadTs;
    const place = thread === undefined ? {} : { threadTs: thread };
    if (given.response_type === 'ephemeral') rooms.addEphemeral(room, { ...content, userId, ...place });
    else messages.post(room, { author: selfOf(installation), ...content, ...place });
  }
}
