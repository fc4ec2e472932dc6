import { z } from 'zod';
import type { InboundMembership, Sender } from '../../src/contract.ts';
import { lenient } from '../kit/read-payload.ts';
import type { Names } from './people.ts';
import { id, timestamp } from './posts.ts';
import { slackConversation, type Workspace } from './workspaces.ts';

/** Somebody came into a channel. `inviter` is left out if they came by themselves. */
const joinedShape = z.object({ user: id, channel: id, inviter: lenient(id), event_ts: timestamp });
/** The bot was taken out of a channel. */
const leftShape = z.object({ channel: id, actor_id: lenient(id), event_ts: timestamp });

const unknownSender: Sender = { id: 'unknown', name: '', isPerson: false };

/** The bot was added to a channel; undefined if it was somebody else. */
export async function arrivalIn(event: unknown, workspace: Workspace, names: Names) {
  const { data } = joinedShape.safeParse(event);
  if (data?.user !== workspace.botUserId) return undefined;
  return membership({ change: 'added', chatId: data.channel, by: data.inviter, ts: data.event_ts }, workspace, names);
}

/** The bot was taken out of a channel; undefined if Slack does not say which. */
export async function departureIn(event: unknown, workspace: Workspace, names: Names) {
  const { data } = leftShape.safeParse(event);
  if (data === undefined) return undefined;
  return membership(
    { change: 'removed', chatId: data.channel, by: data.actor_id, ts: data.event_ts },
    workspace,
    names,
  );
}

interface Change {
  readonly change: InboundMembership['change'];
  readonly chatId: string;
  readonly by: string | undefined;
  readonly ts: string;
}

async function membership(
  { change, chatId, by, ts }: Change,
  workspace: Workspace,
  names: Names,
): Promise<InboundMembership> {
  // An app that is added while it is made or by another app names itself, or nobody.
  const isKnown = by !== undefined && by !== workspace.botUserId;
  const writer = { id: isKnown ? by : workspace.botUserId, teamId: workspace.teamId };
  const { conversation, sender } = await names.speakerAt(slackConversation(workspace, chatId, undefined), writer);
  return {
    type: 'membership',
    key: `membership:${workspace.teamId}:${chatId}:${ts}`,
    conversation,
    sender: isKnown ? sender : unknownSender,
    change,
  };
}
