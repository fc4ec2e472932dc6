/* What people have allowed for longer than once, and its end. */

import type { Grant } from '../../../approval/approval.ts';
import { whatIsGranted } from '../../../conversation/commands/reports/grants.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { type PageAnswer, type PageAsked, type PageCore, shown } from '../page-route.ts';
import type { GrantEntry, GrantList, RevokeAnswer } from '../wire/waiting.ts';
import { pressOf } from './decide.ts';
import { contextOf, personIn, placeOf, type WaitingContext } from './people.ts';
import { waitingWords } from './words.ts';

/** More are not told. */
const mostGrants = 500;

/** `GET grants`. Approvers see all, others their own. */
export async function grantList(context: WaitingContext): Promise<GrantList> {
  const grants = await grantsOf(context);
  const told = grants.slice(0, mostGrants);
  const entries: GrantEntry[] = [];
  for (const grant of told) entries.push(await entryOf(grant, context));
  return { grants: entries, isCut: told.length < grants.length };
}

/** Those that the person may revoke, which are those that they may know of. */
async function grantsOf(context: WaitingContext): Promise<readonly Grant[]> {
  const { asked, core, tables } = context;
  const now = core.clock.now();
  const whose = core.approvals.isApprover(asked.visitor.principal) ? [undefined] : asked.accounts;
  const all: Grant[] = [];
  for (const account of whose) all.push(...(await tables.grants(now, mostGrants + 1, account)));
  return stillTheirs(all, context).toSorted((one, other) => other.createdAt - one.createdAt);
}

/** What was read before, as far as it holds, and the person may revoke it, at this moment. */
function stillTheirs(grants: readonly Grant[], { asked, core }: WaitingContext): readonly Grant[] {
  const decidesAll = core.approvals.isApprover(asked.visitor.principal);
  return grants.filter(
    ({ id, requester }) => !core.revoking.has(id) && (decidesAll || asked.accounts.includes(requester)),
  );
}

async function entryOf(grant: Grant, context: WaitingContext): Promise<GrantEntry> {
  const { id, kind, toolName, requester, conversationId, grantedBy, createdAt, uses = 0 } = grant;
  return {
    id,
    kind,
    what: whatIsGranted(grant, context.asked.language),
    tool: toolName,
    requester: await personIn(requester, [conversationId], context),
    conversation: await placeOf(conversationId, context),
    by: await personIn(grantedBy, [conversationId], context),
    createdAt,
    expiresAt: grant.kind === 'window' ? grant.expiresAt : undefined,
    uses,
  };
}

/** The ids of a request; undefined if it names none. */
function idsIn({ body }: PageAsked): readonly string[] | undefined {
  const ids = isJsonObject(body) && Array.isArray(body.ids) ? body.ids : [];
  const texts = ids.filter((id) => typeof id === 'string');
  return texts.length === 0 || texts.length !== ids.length || texts.length > mostGrants ? undefined : texts;
}

/** `POST grants/revoke`: as `/revoke` does in the conversation of each. */
export async function revoke(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const ids = idsIn(asked);
  if (ids === undefined) return { status: 400, refusal: (language) => waitingWords[language].wrongGrants };
  const context = contextOf(asked, core);
  const found = (await grantsOf(context)).filter(({ id }) => ids.includes(id));
  // Nothing may come between this and their end.
  const grants = stillTheirs(found, context);
  const origin = pressOf(undefined, asked);
  const count = await core.takeAway({
    origin,
    held: waitingWords[asked.language].revoked({ count: grants.length }),
    now() {
      for (const { id } of grants) core.revoking.add(id);
    },
    store: () => context.tables.revoke(grants, origin, core.clock.now()),
    over() {
      for (const { id } of grants) core.revoking.delete(id);
    },
  });
  const answer: RevokeAnswer = { count };
  return shown(answer);
}
