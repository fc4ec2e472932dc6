import type { JsonObject } from '../json.ts';
import type { Delivery } from './deliveries.ts';
import type { Room, StoredMessage } from './rooms.ts';
import type { SlackState } from './state.ts';
import { wireEvent, wireMessage } from './wire.ts';

/** Tells the app what happens, as the Events API does. */
export function tell({ parts }: SlackState, event: JsonObject, isShared = false): Delivery {
  const { app, identifiers, time } = parts;
  const { teamId: team_id, appId: api_app_id, botUserId: user_id } = parts.installation;
  return app.deliveries.deliver('events_api', {
    token: 'verification',
    team_id,
    context_team_id: team_id,
    context_enterprise_id: null,
    api_app_id,
    event,
    type: 'event_callback',
    event_id: identifiers.next('Ev'),
    event_time: Math.floor(time.now() / 1000),
    authorizations: [{ enterprise_id: null, team_id, user_id, is_bot: true, is_enterprise_install: false }],
    is_ext_shared_channel: isShared,
    event_context: `4-${String(event.event_ts)}`,
  });
}

/** Nothing is told of a room that the app is not in. */
export function tellOf(state: SlackState, room: Room, event: JsonObject): Delivery | undefined {
  return room.hasBot ? tell(state, event, room.isShared) : undefined;
}

export function tellPosted(state: SlackState, message: StoredMessage): Delivery | undefined {
  return tellOf(state, message.room, wireEvent(state, message));
}

export function tellChanged(state: SlackState, previous: StoredMessage, message: StoredMessage): Delivery | undefined {
  const messages = { message: wireMessage(state, message), previous_message: wireMessage(state, previous) };
  return tellChange(state, message.room, { subtype: 'message_changed', ...messages });
}

export function tellDeleted(state: SlackState, message: StoredMessage): Delivery | undefined {
  const gone = { deleted_ts: message.ts, previous_message: wireMessage(state, message) };
  return tellChange(state, message.room, { subtype: 'message_deleted', ...gone });
}

function tellChange(state: SlackState, room: Room, change: JsonObject): Delivery | undefined {
  const ts = state.parts.identifiers.timestamp();
  const place = { channel: room.id, channel_type: room.kind, ts, event_ts: ts };
  return tellOf(state, room, { type: 'message', hidden: true, ...place, ...change });
}
