import type { JsonObject } from '../../../src/lib/json.ts';
import type { Deliveries, Delivery } from './deliveries.ts';
import type { Identifiers } from './identifiers.ts';
import type { MessageWire } from './message-wire.ts';
import type { Room, StoredMessage } from './rooms.ts';
import type { ScaledTime } from './scaled-time.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly installation: Installation;
  readonly deliveries: Deliveries;
  readonly identifiers: Identifiers;
  readonly wire: MessageWire;
  readonly time: ScaledTime;
}

/** What happens in a workspace, told to the app as the Events API does. */
export class Events {
  readonly #dependencies: Dependencies;
  /** The types that the app has asked for, messages by their place: `message.im`. Everything, if not set. */
  subscriptions: readonly string[] | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Undefined if the app has not asked for such events. */
  tell(event: JsonObject, { isShared = false }: Partial<Pick<Room, 'isShared'>> = {}): Delivery | undefined {
    const { installation, deliveries, identifiers, time } = this.#dependencies;
    const { teamId: team_id, appId: api_app_id, botUserId: user_id } = installation;
    const name = event.type === 'message' ? `message.${placeOf(event)}` : String(event.type);
    if (this.subscriptions !== undefined && !this.subscriptions.includes(name)) return undefined;
    return deliveries.deliver('events_api', {
      ...{ token: 'verification', team_id, context_team_id: team_id, context_enterprise_id: null, api_app_id },
      ...{ event, type: 'event_callback', event_id: identifiers.next('Ev') },
      event_time: Math.floor(time.now() / 1000),
      authorizations: [{ enterprise_id: null, team_id, user_id, is_bot: true, is_enterprise_install: false }],
      is_ext_shared_channel: isShared,
      event_context: `4-${String(event.event_ts)}`,
    });
  }

  /** A message as an event tells of it. */
  wired(message: StoredMessage): JsonObject {
    return this.#dependencies.wire.event(message);
  }

  /** Nothing is told of a room that the app is not in. */
  posted(message: StoredMessage): Delivery | undefined {
    return this.#inRoom(message.room, this.#dependencies.wire.event(message));
  }

  changed(previous: StoredMessage, message: StoredMessage): Delivery | undefined {
    const { wire, identifiers } = this.#dependencies;
    const ts = identifiers.timestamp();
    const event = {
      type: 'message',
      subtype: 'message_changed',
      hidden: true,
      channel: message.room.id,
      ts,
      event_ts: ts,
    };
    const messages = { message: wire.of(message), previous_message: wire.of(previous) };
    return this.#inRoom(message.room, { ...event, ...messages, channel_type: message.room.kind });
  }

  deleted(message: StoredMessage): Delivery | undefined {
    const { wire, identifiers } = this.#dependencies;
    const ts = identifiers.timestamp();
    const event = {
      type: 'message',
      subtype: 'message_deleted',
      hidden: true,
      channel: message.room.id,
      ts,
      event_ts: ts,
    };
    const rest = { deleted_ts: message.ts, previous_message: wire.of(message), channel_type: message.room.kind };
    return this.#inRoom(message.room, { ...event, ...rest });
  }

  /** Somebody has put a reaction to a message, or taken it away. */
  reacted(message: StoredMessage, type: 'reaction_added' | 'reaction_removed', name: string, userId: string) {
    const item = { type: 'message', channel: message.room.id, ts: message.ts };
    const item_user = message.author.userId ?? '';
    const event_ts = this.#dependencies.identifiers.timestamp();
    return this.#inRoom(message.room, { type, user: userId, reaction: name, item, item_user, event_ts });
  }

  #inRoom(room: Room, event: JsonObject): Delivery | undefined {
    return room.hasBot ? this.tell(event, room) : undefined;
  }
}

function placeOf({ channel_type: kind }: JsonObject): string {
  return { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' }[String(kind)] ?? String(kind);
}
