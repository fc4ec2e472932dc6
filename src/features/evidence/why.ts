import { ruleBehind } from '../../approval/why-allowed.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import { causeOf, whyWords } from '../../engine/why-asked.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { folded } from '../../lib/folds.ts';
import { indentedJson } from '../../lib/indented-json.ts';
import type { JsonObject } from '../../lib/json.ts';
import { escapeMarkdown, fenced, inlineCode, nameCode, oneLine, reveal, shortened } from '../../lib/plain-text.ts';
import { leadingButton } from '../../words/command-buttons.ts';
import { fateOf, shownIdLength, whatWords } from './call-words.ts';
import { createEvidenceStore, type EvidenceStore, type ExplainedCall } from './tables.ts';
import { evidenceWords, type RuleWords } from './words.ts';

type WhyCore = Pick<FeatureCore, 'clock' | 'owners' | 'accounts' | 'redact' | 'database' | 'store'>;

interface WhyContext {
  readonly core: WhyCore;
  readonly store: EvidenceStore;
  readonly given: GivenCommand;
}

/** How deep sub-runs are followed up to what a person said. */
const mostAbove = 8;
const longestArguments = 1_500;
const longestRefusal = 200;

/** `/why` of the last call here, `/why ID`, or as a reply to a card or a message: what let it run, or asked. */
export async function why(given: GivenCommand, core: WhyCore): Promise<void> {
  const { argument, answer, reader } = given;
  const words = evidenceWords[reader.language];
  const context = { core, store: createEvidenceStore(core.database), given };
  const wanted = argument.toLowerCase();
  if (wanted !== '' && !/^[a-z0-9]{3,40}$/.test(wanted)) return answer(words.whyHow);
  const call = wanted === '' ? await lastCall(context) : await callLike(wanted, context);
  if (call === undefined) return answer(wanted === '' ? words.whyNone : words.whyUnknown(inlineCode(wanted)));
  const earlier = await context.store.callBefore(call);
  const buttons = earlier === undefined ? [] : [[leadingButton(words.buttonEarlier, `why ${earlier}`)]];
  await given.list({ markdown: await explain(call, context), again: `why ${call.id}`, rows: buttons });
}

/** The last call of the conversation; or the one that the answered message is about, or came before it. */
async function lastCall(context: WhyContext): Promise<ExplainedCall | undefined> {
  const { core, store, given } = context;
  const { conversationId, answersTo } = given.origin;
  if (answersTo === undefined) return readable(await store.newestCall(conversationId, core.clock.now()), context);
  const approval = (await core.store.approvals.cardAt(conversationId, answersTo))?.approval;
  const asked = approval !== undefined && 'callId' in approval ? approval.callId : undefined;
  if (asked !== undefined) return readable(asked, context);
  const message = await store.ownMessage(conversationId, answersTo);
  const id = message?.callId ?? (await store.newestCall(conversationId, message?.createdAt ?? core.clock.now()));
  return readable(id, context);
}

/** Undefined also if there is one that this reader may not know of, or several. */
async function callLike(beginning: string, context: WhyContext): Promise<ExplainedCall | undefined> {
  const ids = await context.store.idsLike(beginning);
  const [only, other] = await Promise.all(ids.map((id) => readable(id, context)));
  return other === undefined ? only : undefined;
}

/** People read of their own conversation, of what a card in it has asked, and owners in their own chat of all. */
async function readable(
  id: string | undefined,
  { store, core, given }: WhyContext,
): Promise<ExplainedCall | undefined> {
  const call = id === undefined ? undefined : await store.explained(id);
  const { conversationId, conversation, principal } = given.origin;
  const isOwners = conversation.kind === 'direct' && core.owners.isOwner(principal);
  const isHere = call?.conversationId === conversationId || call?.places?.includes(conversationId) === true;
  return isHere || isOwners ? call : undefined;
}

async function explain(call: ExplainedCall, context: WhyContext): Promise<string> {
  const { core, store, given } = context;
  const { reader, origin } = given;
  const words = evidenceWords[reader.language];
  const isGroup = origin.conversation.kind === 'group';
  const what = whatWords({ name: call.name, described: call }, { language: reader.language, isGroup }, core);
  const noted = (await store.notedOf(call.id)).find(({ kind }) => kind === 'call-proposed')?.detail ?? {};
  const lines = [
    words.whyTitle({ what, at: call.at, reader, fate: fateOf(call) }),
    words.whyRule(await ruleOf(call, noted, context)),
    await decisionOf(call, context),
    await causeWords(call, noted, context),
    words.whyModel({ model: inlineCode(oneLine(call.model ?? '?', 60)), isClean: isClean(call, noted) }),
  ].filter((line) => line !== undefined);
  return [
    lines
      .map((line) => `- ${line}`)
      .join('\n')
      .replace(/^- /, ''),
    folded(words.whyDetails, detailsOf(call, noted, context)),
  ].join('\n\n');
}

async function ruleOf(call: ExplainedCall, noted: JsonObject, { store, core, given }: WhyContext): Promise<RuleWords> {
  const permission = typeof noted.grant === 'string' ? await store.grant(noted.grant) : undefined;
  const found = ruleBehind(call, noted, () => permission);
  switch (found.rule) {
    case 'asked':
      return { rule: 'asked', reason: core.redact(found.reason) };
    case 'refused':
    case 'invalid': {
      const said = shortened(oneLine(core.redact(found.said), Number.POSITIVE_INFINITY), longestRefusal);
      return { rule: found.rule, said: escapeMarkdown(said) };
    }
    case 'grant': {
      const { grant } = found;
      const giver = await personIn(call, grant.grantedBy, store);
      const { toolName, createdAt: at, rule: { scope } = {} } = grant;
      const id = inlineCode(grant.id);
      if (scope === undefined) return { rule: 'grant', giver, id, isAlways: grant.kind === 'always' };
      return { rule: 'by-rule', named: { toolName, scope }, giver, id, at, reader: given.reader };
    }
    case 'question':
    case 'unknown':
    case 'policy-off':
    case 'not-dangerous':
    case 'autonomous':
    case 'allow-rule':
    case 'own-words':
      return { rule: found.rule };
  }
}

async function personIn(
  { conversationId, places = [] }: ExplainedCall,
  principal: string,
  store: EvidenceStore,
): Promise<string> {
  for (const id of [conversationId, ...places]) {
    const name = await store.nameOf(id, principal);
    if (name !== undefined) return nameCode(name);
  }
  return nameCode(principal);
}

async function decisionOf(call: ExplainedCall, { core, store, given }: WhyContext): Promise<string | undefined> {
  const { approvalState, approvalId, decidedBy, decidedAt: at, isQuestion, askedCallId } = call;
  const words = evidenceWords[given.reader.language];
  if (isQuestion || decidedBy === undefined || at === undefined) return undefined;
  if (approvalState !== 'approved' && approvalState !== 'denied') return undefined;
  const noted = await store.notedOf(askedCallId ?? call.id);
  const decided = noted.findLast((one) => one.kind === 'approval-decided' && one.approvalId === approvalId);
  const from = decided?.detail.in;
  const place = typeof from === 'string' ? await core.store.inbox.conversationOf(from) : undefined;
  const isElsewhere = place !== undefined && from !== given.origin.conversationId;
  const elsewhere = place?.kind === 'group' ? nameCode(place.title ?? place.chatId) : words.whyOwnChat;
  const person = await personIn(call, decidedBy, store);
  return words.whyDecided({
    person,
    at,
    reader: given.reader,
    isAllowed: approvalState === 'approved',
    place: isElsewhere ? elsewhere : undefined,
  });
}

function sourcesOf({ readBefore }: ExplainedCall, { read }: JsonObject): readonly string[] {
  return readBefore ?? (Array.isArray(read) ? read.filter((one) => typeof one === 'string') : []);
}

/** Whether it is known that nothing of others had been read. */
function isClean(call: ExplainedCall, noted: JsonObject): boolean {
  const isKnown = call.readBefore !== undefined || typeof noted.why === 'string';
  return isKnown && sourcesOf(call, noted).length === 0;
}

/** What the person had asked, or what began the run, and what had been read before. */
async function causeWords(
  call: ExplainedCall,
  noted: JsonObject,
  { core, store, given }: WhyContext,
): Promise<string | undefined> {
  const { origin, reader } = given;
  const root = await rootOf(call, store);
  const said = await store.saidBefore(root.runsIn, call.principal, root.seenSeq);
  const name = (await store.nameOf(call.conversationId, call.principal)) ?? call.principal;
  const { principal } = call;
  const entry = { seq: 0, principal, name, text: said?.text ?? '' };
  const cause =
    said &&
    causeOf(
      [said.kind === 'event' ? { ...entry, type: 'event', wantsAnswer: true } : { ...entry, type: 'user' }],
      principal,
    );
  const place =
    call.conversationId === origin.conversationId
      ? undefined
      : await core.store.inbox.conversationOf(call.conversationId);
  const sources = sourcesOf(call, noted);
  return whyWords(
    { cause, workers: call.subRun === undefined ? [] : [call.subRun.worker], scope: { sender: { principal, name } } },
    sources.length === 0 ? { because: 'every-call' } : { because: 'tainted', sources, more: 0 },
    {
      language: reader.language,
      isRequester:
        origin.conversation.kind === 'direct' && core.accounts.accountsOf(origin.principal).includes(principal),
      forwardedFrom: place?.kind === 'group' ? (place.title ?? place.chatId) : undefined,
      redact: core.redact,
    },
  );
}

/** The call of the people's conversation for which it was made. */
async function rootOf(call: ExplainedCall, store: EvidenceStore): Promise<ExplainedCall> {
  let root = call;
  for (let above = 0; root.subRun !== undefined && above < mostAbove; above += 1) {
    const parent = await store.explained(root.subRun.callId);
    if (parent === undefined) break;
    root = parent;
  }
  return root;
}

function detailsOf(call: ExplainedCall, { unconfined }: JsonObject, { core, given }: WhyContext): string {
  const words = evidenceWords[given.reader.language];
  const { name, category, id, approvalId, changedBy, duration, subRun } = call;
  const facts = words.whyFacts({
    tool: inlineCode(oneLine(name, 64)),
    category: category === undefined ? undefined : inlineCode(category),
    ids: [...(approvalId === undefined ? [] : [approvalId]), id.slice(0, shownIdLength)].map(inlineCode),
    worker: subRun === undefined ? undefined : inlineCode(oneLine(subRun.worker.name, 60)),
    hook: changedBy === undefined ? undefined : inlineCode(oneLine(changedBy, 60)),
    duration,
    isUnconfined: unconfined === true,
  });
  // What was written is not told to a group beyond what its card has said.
  if (given.origin.conversation.kind === 'group') return facts;
  const args = shortened(reveal(core.redact(indentedJson(JSON.parse(call.arguments)))), longestArguments);
  return [facts, fenced(args, 'json')].join('\n\n');
}
