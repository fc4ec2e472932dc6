/*
 * Asking a model server what a model can do: first for its list of models, which nearly all have; then, where that does not
 * say enough, for what servers of its kind tell elsewhere. Of a server that nobody knows, only one nearby is asked for more
 * (of a private network, or without TLS), and only with GET.
 */

import { type Clock, withTimeout } from '../../lib/clock.ts';
import { isJsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import type { Sender } from '../../lib/network/fetched-requests.ts';
import type { IncomingAnswer } from '../../lib/network/kept-requests.ts';
import { isPrivateServer } from '../../lib/network/proxy-settings.ts';
import { readLmStudio, readModelList, readOllama, readProps, type Told } from './told.ts';

export interface AskedServer {
  /** With its version: `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  /** The server's name for the model. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: Sender;
  readonly clock: Clock;
}

/**
 * What the server says of the model; empty if it says nothing. `later`: it cannot answer now. Makes at most six requests, each with
 * 10 s and at most 4 MB of answer, follows no redirect, and never throws.
 */
export async function askServer(server: AskedServer): Promise<Told | 'later'> {
  const list = await get(`${trimmed(server.baseUrl)}/models`, server);
  if (list === 'later') return 'later';
  const listed = readModelList(list.body, server.name) ?? {};
  const kinds = kindsToTry(listed, list, server.baseUrl);
  let isLater = false;
  for (const kind of kinds) {
    const told = await kind(server, rootOf(server.baseUrl));
    if (told === 'later') isLater = true;
    else if (told !== undefined) return merged(listed, told);
  }
  return isLater && listed.window === undefined ? 'later' : listed;
}

type Kind = (server: AskedServer, root: string) => Promise<Told | 'later' | undefined>;

const llamaCpp: Kind = async (server, root) => {
  // The parameters are for one that serves several models; asking must not load one.
  const answer = await get(`${root}/props?model=${encodeURIComponent(server.name)}&autoload=false`, server);
  return answer === 'later' ? 'later' : readProps(answer.body);
};

const ollama: Kind = async (server, root) => {
  const show = await get(`${root}/api/show`, server, { model: server.name });
  if (show === 'later') return 'later';
  const ps = await get(`${root}/api/ps`, server);
  return readOllama(show.body, ps === 'later' ? undefined : ps.body, server.name);
};

/** Where it is not known to be one, it is asked for its version first: only Ollama tells it there. */
const perhapsOllama: Kind = async (server, root) => {
  const version = await get(`${root}/api/version`, server);
  if (version === 'later') return 'later';
  return isJsonObject(version.body) && typeof version.body.version === 'string' ? ollama(server, root) : undefined;
};

const lmStudio: Kind = async (server, root) => {
  const path = server.name.split('/').map(encodeURIComponent).join('/');
  const answer = await get(`${root}/api/v0/models/${path}`, server);
  return answer === 'later' ? 'later' : readLmStudio(answer.body);
};

function kindsToTry({ server, window }: Told, list: Answer, baseUrl: string): readonly Kind[] {
  switch (server) {
    case 'llama.cpp':
      return [llamaCpp];
    case 'Ollama':
      return [ollama, llamaCpp];
    case 'LM Studio':
      return [lmStudio];
  }
  // What answers every path alike has no more to say.
  const isAlike = list.isOk && list.body === undefined;
  return window === undefined && !isAlike && isNear(baseUrl) ? [llamaCpp, perhapsOllama, lmStudio] : [];
}

/** What was told of the loaded model counts more than the list. */
function merged(listed: Told, told: Told): Told {
  return {
    ...told,
    window: told.window ?? listed.window,
    tools: told.tools ?? listed.tools,
    images: told.images ?? listed.images,
  };
}

/** Whether somebody runs it for themselves: in a private network, or without TLS, as no provider does. */
function isNear(baseUrl: string): boolean {
  const url = URL.parse(baseUrl);
  return url !== null && (url.protocol === 'http:' || isPrivateServer(url));
}

function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

/** Without the version. */
function rootOf(baseUrl: string): string {
  return trimmed(baseUrl).replace(/\/v\d+(?:beta\d*)?$/, '');
}

interface Answer {
  readonly isOk: boolean;
  /** Undefined if it is no JSON, too large, or not OK. */
  readonly body: JsonValue | undefined;
}

/** With a body, it is posted. */
async function get(url: string, server: AskedServer, body?: object): Promise<Answer | 'later'> {
  const { clock, requests } = server;
  const given = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = given === undefined ? server.headers : { ...server.headers, 'content-type': 'application/json' };
  const method = given === undefined ? 'GET' : 'POST';
  try {
    return await withTimeout({ clock, milliseconds: longestAsking }, async (signal) => {
      const asked = { url: new URL(url), method, headers, signal } as const;
      const answer = await requests.send(given === undefined ? asked : { ...asked, body: given });
      const { status } = answer;
      if (status < 200 || status > 299) {
        answer.cancel();
        return status === 408 || status === 429 || (status >= 500 && status !== 501) ? 'later' : nothing;
      }
      const text = await textOf(answer);
      return { isOk: true, body: text === undefined ? undefined : parseJson(text) };
    });
  } catch {
    // Whatever it is, the next request to the model says it.
    return 'later';
  }
}

/** Undefined if it is too large. */
async function textOf({ body }: IncomingAnswer): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    // Leaving the loop closes the connection.
    if (size > largestAnswer) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

const nothing: Answer = { isOk: false, body: undefined };

/** In ms. */
const longestAsking = 10_000;
/** In bytes: OpenRouter's list has less than one million. */
const largestAnswer = 4_000_000;
