/*
 * What the page is made of over HTTP: its files, the way in, and what it asks. The gateway has checked `Host` and `Origin`.
 * Loaded with the first request.
 */

import { join } from 'node:path';
import { Hono, type MiddlewareHandler } from 'hono';
import type { WebRoute } from '../../../feature-points.ts';
import { Lockout } from '../../../lib/lockout.ts';
import { ownFolder } from '../../../lib/own-version.ts';
import { wordsIn } from '../../../lib/words.ts';
import { pageNames, rootFiles } from '../page-names.ts';
import type { PageParts } from '../page-parts.ts';
import { addPageRoutes } from './answers.ts';
import type { BuildOutcome } from './build.ts';
import { type BuiltFile, type BuiltFiles, createBuiltFiles } from './built-files.ts';
import { securityHeaders } from './headers.ts';
import { languageFor, type PageContext, type PageEnvironment } from './page-context.ts';
import { plainPage } from './plain-page.ts';
import { readJson } from './read-json.ts';
import { type SignInParts, sessionCookieFor, signIn } from './sign-in.ts';
import { serverWords } from './words.ts';

interface ServerParts extends PageParts, SignInParts {
  readonly files: BuiltFiles;
  /** The outcome of the first look at the sources, or of the last build that failed. */
  readonly built: () => Promise<BuildOutcome>;
}

/** Answers all paths of the page. */
export function createPageServer(given: PageParts): WebRoute {
  const files = createBuiltFiles(join(ownFolder(), 'packages', 'page', 'dist'));
  const parts: ServerParts = { ...given, files, built: given.build, lockout: new Lockout(given.clock) };
  given.issued.listen(() => parts.lockout.forget());
  const app = new Hono<PageEnvironment>();
  app.use(secured);
  const shell = (context: PageContext) => sendPage(context, parts);
  for (const name of pageNames) app.get(`/${name}`, shell);
  for (const name of pageNames.filter(Boolean)) app.get(`/${name}/*`, shell);
  for (const name of rootFiles) app.get(`/${name}`, (context) => sendBeside(name, context, parts));
  app.get('/assets/:name', (context) => sendAsset(context, parts));
  app.post('/signin', (context) => letIn(context, parts));
  addPageRoutes(app, parts);
  app.notFound((context) => nothingHere(context, parts));
  app.onError((error, context) => {
    parts.log.error({ err: error, part: 'page', path: context.req.routePath }, 'a request of the page failed');
    return context.json({ error: serverWords[languageFor(context)].fault }, 500);
  });
  return async (request, address) => app.fetch(request, { address });
}

const secured: MiddlewareHandler<PageEnvironment> = async (context, next) => {
  for (const [name, value] of Object.entries(securityHeaders)) context.header(name, value);
  await next();
};

/** A mistyped address is answered with the page, too, which says so. */
async function nothingHere(context: PageContext, parts: ServerParts): Promise<Response> {
  const { method, path } = context.req;
  const isRead = method === 'GET' || method === 'HEAD';
  const isLookedAt = isRead && context.req.header('accept')?.includes('text/html') === true;
  if (isLookedAt && !/^\/(?:assets|page)(?:\/|$)/.test(path)) {
    const { status, headers, body } = await sendPage(context, parts);
    return new Response(body, { status: status === 200 ? 404 : status, headers });
  }
  return context.json({ error: serverWords[languageFor(context)].nothingHere }, 404);
}

async function sendPage(context: PageContext, { files, built }: ServerParts): Promise<Response> {
  const outcome = await built();
  const index = outcome === 'built' ? await files.index() : undefined;
  if (index !== undefined) return send(index, 'no-cache', context);
  return context.html(plainPage(outcome === 'failed' ? 'failed' : 'unbuilt', languageFor(context)), 503);
}

async function sendBeside(name: string, context: PageContext, { files }: ServerParts): Promise<Response> {
  const file = await files.beside(name);
  return file === undefined ? context.notFound() : send(file, 'no-cache', context);
}

async function sendAsset(context: PageContext, { files }: ServerParts): Promise<Response> {
  const asset = await files.asset(context.req.param('name') ?? '');
  // Their names change with their content.
  return asset === undefined ? context.notFound() : send(asset, 'public, max-age=31536000, immutable', context);
}

function send({ bytes, packed, mediaType, tag }: BuiltFile, caching: string, context: PageContext): Response {
  context.header('Cache-Control', caching);
  context.header('ETag', tag);
  context.header('Vary', 'Accept-Encoding');
  if (context.req.header('if-none-match')?.includes(tag) === true) return context.body(null, 304);
  context.header('Content-Type', mediaType);
  const isPacked = packed !== undefined && /\bgzip\b/.test(context.req.header('accept-encoding') ?? '');
  if (!isPacked) return context.body(bytes, 200);
  context.header('Content-Encoding', 'gzip');
  return context.body(packed, 200);
}

async function letIn(context: PageContext, parts: ServerParts): Promise<Response> {
  const language = languageFor(context);
  const site = context.req.header('sec-fetch-site') ?? 'same-origin';
  if (site !== 'same-origin') return context.json({ error: serverWords[language].notFromElsewhere }, 403);
  const read = await readJson(context.req.raw, longestSignIn);
  if ('status' in read) return context.json({ error: wordsIn(language, read.words) }, read.status);
  const userAgent = context.req.header('user-agent') ?? '';
  const answer = await signIn({ body: read.body, address: context.env.address, userAgent }, parts);
  switch (answer.type) {
    case 'in': {
      const { host, origin } = context.req.header();
      const isEncrypted = origin?.startsWith('https:') === true;
      context.header('Set-Cookie', sessionCookieFor(answer.cookie, { host, isEncrypted }));
      return context.json({ key: answer.key });
    }
    case 'refused':
      return context.json({ error: wordsIn(language, answer.words) }, answer.status);
    case 'locked': {
      context.header('Retry-After', String(answer.seconds));
      return context.json({ error: serverWords[language].tooManyTries({ seconds: answer.seconds }) }, 429);
    }
  }
}

/** In bytes. */
const longestSignIn = 4_096;
