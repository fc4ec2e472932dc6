import type { Approval } from '../../../approval/approval.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../../../lib/json.ts';
import { reveal } from '../../../lib/plain-text.ts';
import type { FileChange } from '../wire/waiting.ts';
import type { WaitingContext } from './people.ts';

/** How much of changed files is told, in characters of both texts. */
export interface TextLimits {
  readonly characters: number;
}

/** More calls of one card are not looked at. */
const mostFiles = 20;

/** How the files would change that its calls write or edit, as they are now. With hidden characters shown. */
export async function changesOf(
  approval: Approval,
  context: WaitingContext,
  limits: TextLimits,
): Promise<readonly FileChange[]> {
  if (approval.type !== 'permission' || approval.asked?.category !== 'filesystem_write') return [];
  const { asked, core, tables } = context;
  // A card shows the lines around the change. All of the file is for its person, and for owners.
  if (!asked.isOwner && !asked.accounts.includes(approval.requester)) return [];
  const { arguments: args, others } = approval.asked;
  const ids = [approval.callId, ...(others ?? []).map(({ callId }) => callId)];
  const all = others === undefined ? [args] : objectsIn(args.calls).map((call) => argumentsOf(call));
  const conversation = await core.store.inbox.conversationOf(approval.conversationId);
  const { fileChangeOf } = await import('../../../tools/builtin/files/file-change.ts');
  const changes: FileChange[] = [];
  let room = limits.characters;
  const calls = await tables.calls(ids.slice(0, mostFiles));
  for (const [index, id] of ids.slice(0, mostFiles).entries()) {
    const name = calls.get(id)?.name ?? '';
    if (conversation === undefined || core.registry.sourceOf(name)?.type !== 'builtin') continue;
    const folder = core.workspaceAt(core.workspaceOf(conversation, approval.requester));
    const change = await fileChangeOf(name, all[index] ?? {}, folder);
    if (change === undefined) continue;
    const { path, before, after } = change;
    const length = (before ?? '').length + after.length;
    const isCut = length > room;
    if (!isCut) room -= length;
    const texts = isCut ? { before: '', after: '' } : { before: before && reveal(before), after: reveal(after) };
    changes.push({ path: reveal(path), ...texts, isCut });
  }
  return changes;
}

function argumentsOf(call: JsonObject): JsonObject {
  return isJsonObject(call.arguments) ? call.arguments : {};
}
