import { randomUUID } from 'node:crypto';
import { type Conversation, conversationId, partsOf } from '../../../contract.ts';
import { deviceChannel } from '../../../conversation/access/access.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { ownVersion } from '../../../lib/own-version.ts';
import { languages } from '../../../lib/words.ts';
import { type PageAnswer, type PageAsked, type PageCore, type PageRoute, shown } from '../page-route.ts';
import { serverWords } from '../server/words.ts';
import type { Me, PhoneLink } from '../wire/me.ts';

/** Who is signed in, and how they sign in elsewhere. */
export const ownRoutes: readonly PageRoute[] = [
  { method: 'GET', path: 'me', answer: async (asked, core) => shown(meOf(asked, core)) },
  { method: 'POST', path: 'phone', answer: linkForPhone },
  { method: 'POST', path: 'language', answer: chooseLanguage },
];

function meOf({ visitor, isOwner, accounts, language }: PageAsked, { config }: PageCore): Me {
  const { device, principal } = visitor;
  return {
    name: device.personName,
    isOwner,
    language,
    version: ownVersion(),
    principal,
    accounts: accounts.map((account) => ({ principal: account, channel: partsOf(account).channel })),
    deviceId: device.id,
    deviceName: device.name,
    currency: config.budget.currency,
  };
}

/** As `/language` does, for all accounts of the person. */
async function chooseLanguage({ visitor, body }: PageAsked, { obeyAside }: PageCore): Promise<PageAnswer> {
  const { device, principal } = visitor;
  const language = isJsonObject(body) ? languages.find((known) => known === body.language) : undefined;
  if (language === undefined) return { status: 400, refusal: (reader) => serverWords[reader].wrongLanguage };
  const conversation: Conversation = { channel: deviceChannel, chatId: device.id, kind: 'direct' };
  const origin = { conversation, conversationId: conversationId(conversation), principal, name: device.personName };
  await obeyAside(`language ${language}`, { ...origin, key: `${principal}:page:${randomUUID()}`, language });
  return shown({ language });
}

async function linkForPhone({ visitor }: PageAsked, { linksFor }: PageCore): Promise<PageAnswer> {
  const { principal, personName: name, id: deviceId } = visitor.device;
  const links = await linksFor({ principal, name, deviceId });
  if ('refusal' in links) return { status: 409, refusal: links.refusal };
  const { elsewhere, goodUntil } = links;
  if (elsewhere === undefined) return { status: 409, refusal: (language) => serverWords[language].notReachable };
  const told: PhoneLink = { url: elsewhere, goodUntil };
  return { status: 200, body: told, isClean: true };
}
