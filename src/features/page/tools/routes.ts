import { builtinNames } from '../../../config/tool-rules.ts';
import { type Conversation, conversationId as idOf } from '../../../contract.ts';
import { deviceChannel } from '../../../conversation/access/access.ts';
import { settingsIn } from '../../../conversation/commands/reports/status.ts';
import { permissionOf } from '../../../conversation/commands/reports/tools/tool-permission.ts';
import { toolListWords } from '../../../conversation/commands/reports/tools/words.ts';
import { newId } from '../../../lib/ids.ts';
import { isDeeperThan, isJsonObject, type JsonObject } from '../../../lib/json.ts';
import { deepestArguments } from '../../../tools/arguments.ts';
import { type FoundTool, type RegisteredTool, sourceIn } from '../../../tools/registry.ts';
import type { ToolScope } from '../../../tools/tool.ts';
import type { ToolDefinition } from '../../../transcript.ts';
import { type PageAnswer, type PageAsked, type PageCore, type PageRoute, shown } from '../page-route.ts';
import { type Place, placeOf } from '../people/command.ts';
import type { CheckedArguments, HandCallBegun, ToolDetails, ToolShown, ToolsShown } from '../wire/tools.ts';
import { faultsIn } from './argument-faults.ts';
import { storeHandCall } from './tables.ts';
import { toolsPageWords } from './words.ts';

export const toolsRoutes: readonly PageRoute[] = [
  { method: 'GET', path: 'tools', answer: listTools },
  { method: 'GET', path: 'tools/:name', answer: showTool },
  { method: 'POST', path: 'tools/:name/check', answer: checkArguments },
  { method: 'POST', path: 'tools/:name/call', answer: callTool },
];

const noSuchTool: PageAnswer = { status: 404, refusal: (language) => toolsPageWords[language].noSuchTool };
const noArguments: PageAnswer = { status: 400, refusal: (language) => toolsPageWords[language].noArguments };

const tooDeep: PageAnswer = {
  status: 400,
  refusal: (language) => toolsPageWords[language].tooDeep({ most: deepestArguments }),
};

async function listTools(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const place = await placeAsked(asked, core);
  if (place === undefined) return noSuchTool;
  const { registry, chats, config } = core;
  const scope = scopeIn(place, core);
  const definitions = new Map((await registry.definitions(scope)).map((one) => [one.name, one]));
  const offered = registry.list(scope);
  const names = new Set(offered.map(({ name }) => name));
  const told: ToolsShown = {
    tools: offered.map((tool) => toolShown(tool, definitions.get(tool.name), place, asked, core)),
    off: builtinNames(config).filter((name) => !names.has(name)),
    mode: settingsIn(chats.of(place.conversation), config).mode,
  };
  return shown(told);
}

async function showTool(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const place = await placeAsked(asked, core);
  const found = place && (await findTool(asked, scopeIn(place, core), core));
  if (place === undefined || found === undefined) return noSuchTool;
  const definition = await found.tool.spec();
  const { name, category } = found.registration;
  const tool = { name, category, source: found.source };
  const told: ToolDetails = {
    ...toolShown(tool, definition, place, asked, core),
    parameters: definition.parameters,
  };
  return shown(told);
}

async function checkArguments(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const args = argumentsIn(asked);
  if (args === undefined) return noArguments;
  if (isDeeperThan(args, deepestArguments)) return tooDeep;
  const place = await placeOf(undefined, asked, core);
  const found = place && (await findTool(asked, scopeIn(place, core), core));
  if (found === undefined) return noSuchTool;
  const preparation = await found.tool.prepare(args);
  const told: CheckedArguments = { faults: preparation.valid ? [] : faultsIn(preparation.message) };
  return shown(told);
}

/** The call is made in a session of its own, as if the model had made it there. */
async function callTool(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const { visitor, body, language } = asked;
  const args = argumentsIn(asked);
  if (args === undefined) return noArguments;
  if (isDeeperThan(args, deepestArguments)) return tooDeep;
  const key = isJsonObject(body) && typeof body.key === 'string' && /^\w{8,40}$/.test(body.key) ? body.key : newId(16);
  const sessionId = `hand-${visitor.device.id}-${key}`;
  const { principal, device } = visitor;
  const chat: Conversation = { channel: deviceChannel, chatId: sessionId, kind: 'direct' };
  const place: Place = { conversation: chat, conversationId: idOf(chat), principal, name: device.personName };
  const found = await findTool(asked, scopeIn(place, core), core);
  if (found === undefined) return noSuchTool;
  if (!(await core.webDoor.beginSession(visitor, sessionId)))
    return { status: 409, refusal: (reader) => toolsPageWords[reader].noSession };
  const { name } = found.registration;
  const title = toolsPageWords[language].title({ tool: name });
  const origin = { ...place, conversation: { ...chat, title }, key: `hand:${sessionId}` };
  if (!(await storeHandCall(core.database, origin, { name, arguments: args }, core.clock.now())))
    return { status: 409, refusal: (reader) => toolsPageWords[reader].calledBefore };
  core.wake([place.conversationId]);
  const told: HandCallBegun = { conversationId: place.conversationId, sessionId };
  return shown(told);
}

function placeAsked(asked: PageAsked, core: PageCore): Promise<Place | undefined> {
  return placeOf(asked.query.get('conversation') ?? undefined, asked, core);
}

function scopeIn({ conversation, conversationId, principal, name }: Place, { workspaceOf }: PageCore): ToolScope {
  const { title: _title, ...chat } = conversation;
  return { ...chat, conversationId, workspace: workspaceOf(conversation, principal), sender: { principal, name } };
}

function findTool({ params }: PageAsked, scope: ToolScope, { registry }: PageCore): Promise<FoundTool | undefined> {
  return registry.get(params.name ?? '', scope);
}

function argumentsIn({ body }: PageAsked): JsonObject | undefined {
  return isJsonObject(body) && isJsonObject(body.arguments) ? body.arguments : undefined;
}

function toolShown(
  tool: RegisteredTool,
  definition: ToolDefinition | undefined,
  { conversation }: Place,
  { language }: PageAsked,
  { chats, config }: PageCore,
): ToolShown {
  const { name, category, source } = tool;
  return {
    name,
    title: definition?.displayName ?? name,
    category,
    categoryName: toolListWords[language].toolGroups[category],
    source: sourceIn(language, source),
    sourceType: source.type,
    ...permissionOf(tool, settingsIn(chats.of(conversation), config), language),
    description: definition?.description ?? '',
  };
}
