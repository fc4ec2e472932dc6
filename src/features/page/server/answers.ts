import type { Hono } from 'hono';
import type { Visitor } from '../../../feature-points.ts';
import { type Language, wordsIn } from '../../../lib/words.ts';
import { noRedaction } from '../../../tools/guard/redact/redact.ts';
import type { PageParts } from '../page-parts.ts';
import type { PageAnswer, PageAsked, PageFile, PageRoute } from '../page-route.ts';
import { pageRoutes } from '../routes.ts';
import { languageFor, type PageContext, type PageEnvironment, saidLanguage } from './page-context.ts';
import { readJson } from './read-json.ts';
import { sessionCookieFor } from './sign-in.ts';
import { serverWords } from './words.ts';

/** Of most routes. What goes over the socket of the chat may be longer. In bytes. */
const longestBody = 256 * 1024;

/** Answers the page's table of routes, each for a person who is signed in. */
export function addPageRoutes(app: Hono<PageEnvironment>, parts: PageParts): void {
  for (const route of pageRoutes)
    app.on(route.method, `/page/${route.path}`, (context) => answer(route, context, parts));
  app.post('/page/signout', (context) => signOut(context, parts));
  // What is not there is so for strangers, too.
  app.all('/page/*', (context) =>
    parts.webDoor.visitorOf(context.req.raw) === undefined ? refuseStranger(context) : context.notFound(),
  );
}

async function answer(route: PageRoute, context: PageContext, parts: PageParts): Promise<Response> {
  const visitor = parts.webDoor.visitorOf(context.req.raw);
  if (visitor === undefined) return refuseStranger(context);
  const language = languageOf(visitor, context, parts);
  const isOwner = parts.owners.isOwner(visitor.principal);
  if (route.forOwners === true && !isOwner) return context.json({ error: serverWords[language].nothingHere }, 404);
  const read =
    route.method === 'POST' ? await readJson(context.req.raw, route.longestBody ?? longestBody) : { body: null };
  if ('status' in read) return context.json({ error: wordsIn(language, read.words) }, read.status);
  const asked: PageAsked = {
    visitor,
    isOwner,
    accounts: parts.accounts.accountsOf(visitor.principal),
    language,
    params: context.req.param(),
    query: new URL(context.req.url).searchParams,
    body: read.body,
    gone: context.req.raw.signal,
  };
  return sendAnswer(await route.answer(asked, parts), asked, context, parts);
}

function refuseStranger(context: PageContext): Response {
  return context.json({ error: serverWords[languageFor(context)].notSignedIn }, 401);
}

/** As the page says; else as they are spoken to everywhere. */
function languageOf({ principal }: Visitor, context: PageContext, parts: PageParts): Language {
  return saidLanguage(context) ?? parts.languages.of({ principal }).language;
}

function sendAnswer(
  answer: PageAnswer,
  { language, gone }: PageAsked,
  context: PageContext,
  parts: PageParts,
): Response {
  if ('refusal' in answer) return sendJson({ error: wordsIn(language, answer.refusal) }, answer.status, context, parts);
  if ('picture' in answer) {
    context.header('Content-Type', answer.picture.mediaType);
    return context.body(answer.picture.bytes, 200);
  }
  if ('file' in answer) return sendFile(answer.file, gone, context, parts);
  return sendJson(answer.body, 200, context, answer.isClean === true ? { redact: noRedaction } : parts);
}

function sendJson(
  body: object,
  status: 200 | 400 | 403 | 404 | 409,
  context: PageContext,
  { redact }: Pick<PageParts, 'redact'>,
): Response {
  return context.body(redact(JSON.stringify(body)), status, { 'Content-Type': 'application/json; charset=utf-8' });
}

function sendFile(
  { name, mediaType, lines }: PageFile,
  gone: AbortSignal,
  context: PageContext,
  parts: PageParts,
): Response {
  context.header('Content-Type', mediaType);
  context.header('Content-Disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`);
  return context.body(redactedLines(lines, gone, parts), 200);
}

/** Ends when nobody reads any more. */
function redactedLines(lines: AsyncIterable<string>, gone: AbortSignal, parts: PageParts): ReadableStream<Uint8Array> {
  const reading = lines[Symbol.asyncIterator]();
  return new ReadableStream({
    pull: (controller) => sendLine(reading, controller, { ...parts, gone }),
    cancel: async () => void (await reading.return?.()),
  });
}

interface LineParts extends Pick<PageParts, 'redact' | 'log'> {
  readonly gone: AbortSignal;
}

async function sendLine(
  reading: AsyncIterator<string>,
  controller: ReadableStreamDefaultController<Uint8Array>,
  { redact, log, gone }: LineParts,
): Promise<void> {
  try {
    const next = gone.aborted ? undefined : await reading.next();
    if (next === undefined || next.done === true) controller.close();
    else controller.enqueue(new TextEncoder().encode(`${redact(next.value)}\n`));
  } catch (error) {
    // What was sent so far ends in the middle, so that nobody takes it for the whole.
    log.error({ err: error, part: 'page' }, 'a file for the page could not be written to its end');
    controller.error(error);
  }
}

async function signOut(context: PageContext, parts: PageParts): Promise<Response> {
  const visitor = parts.webDoor.visitorOf(context.req.raw);
  if (visitor === undefined) return refuseStranger(context);
  await parts.webDoor.dismiss(visitor);
  context.header('Set-Cookie', sessionCookieFor(undefined, { host: context.req.header('host'), isEncrypted: false }));
  return context.json({ isSignedOut: true });
}
