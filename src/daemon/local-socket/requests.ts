/*
 * What the daemon answers at the local socket. Everything here is loaded by the first request. Answers have a bounded
 * length, and no message text but what a card says.
 */

import { deviceFacts, peopleFacts } from '../../conversation/access/people-facts.ts';
import type { Refused } from '../../feature-points.ts';
import type { JsonObject, JsonValue } from '../../lib/json.ts';
import { type Language, wordsIn } from '../../lib/words.ts';
import { decideAtMachine, openApprovals } from './approvals.ts';
import { configFacts } from './config-facts.ts';
import type { LocalParts } from './local-parts.ts';
import { logLevelFacts } from './log-level.ts';
import { personAtMachine } from './machine.ts';
import {
  type LocalAnswer,
  type LocalConnection,
  type LocalRequest,
  protocolVersion,
  RefusedRequest,
} from './protocol.ts';
import { statusFacts } from './status-facts.ts';
import { toolFacts } from './tool-facts.ts';
import { localWords } from './words.ts';

type Answering = (request: LocalRequest, parts: LocalParts, connection: LocalConnection) => Promise<JsonValue>;

/** By the name of the request. */
const requests: Readonly<Record<string, Answering>> = {
  status: async (request, parts) => plain(await statusFacts(request.language, parts)),
  approvals: async (request, parts) => plain({ approvals: await openApprovals(request.language, parts) }),
  people: async (_request, parts) => plain(await peopleFacts(parts.services)),
  devices: async (_request, parts) => plain({ devices: deviceFacts(parts.services) }),
  tools: async ({ language }, parts) => plain({ tools: toolFacts(language, parts) }),
  'log-level': async (request, parts) => plain(logLevelFacts(request, parts)),
  config: async ({ language }, parts) => plain(configFacts(language, parts)),
  decide: async (request, parts) => plain(await decideAtMachine(request, parts)),
  log: async ({ language }, parts, connection) => plain(tellLog(language, parts, connection)),
  chat: async (request, { chats }, connection) => plain(await (await chats()).open(request, connection)),
};

/** Rejects with `RefusedRequest` if there is no such request, or if it cannot be answered. */
export async function answerRequest(
  request: LocalRequest,
  parts: LocalParts,
  connection: LocalConnection,
): Promise<LocalAnswer & { readonly ok: true }> {
  const own = Object.hasOwn(requests, request.request) ? requests[request.request] : undefined;
  const answering = own ?? ofFeature(request, parts);
  if (answering === undefined) {
    const names = [...Object.keys(requests), ...parts.services.localRequests.keys()];
    throw new RefusedRequest('unknown-request', `there are: ${names.join(', ')}`);
  }
  return { v: protocolVersion, id: request.id, ok: true, result: await answering(request, parts, connection) };
}

function ofFeature({ request }: LocalRequest, { services }: LocalParts): Answering | undefined {
  const answering = services.localRequests.get(request);
  if (answering === undefined) return undefined;
  return async ({ language, params }) => {
    const answer = await answering({ person: personAtMachine(), language, params });
    // The answers of features are theirs: only this word of them is known.
    if (isRefused(answer)) throw new RefusedRequest('refused', wordsIn(language, answer.refusal));
    return answer;
  };
}

function isRefused(answer: JsonObject | Refused): answer is Refused {
  return 'refusal' in answer && answer.refusal !== null;
}

/** The connection is told each line of the log from now on. */
function tellLog(language: Language, { logLines }: LocalParts, connection: LocalConnection): object {
  if (logLines === undefined) throw new RefusedRequest('unknown-request', 'the log of this process cannot be followed');
  if (!connection.become(() => {})) throw new RefusedRequest('refused', localWords[language].tooManyStreams);
  const leave = logLines.listen((line) => connection.write({ line }));
  connection.gone.addEventListener('abort', leave, { once: true });
  return { pid: process.pid };
}

/** As JSON holds it: what is undefined is left out. */
function plain(facts: object): JsonObject {
  return JSON.parse(JSON.stringify(facts));
}
