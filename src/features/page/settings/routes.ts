/* The settings, for owners: the config's file at its desk, and how this Keyturn is. */

import type { z } from 'zod';
import type { ConfigDesk } from '../../../config/config-desk.ts';
import { ConfigError } from '../../../config/config-error.ts';
import { type PageAnswer, type PageAsked, type PageCore, type PageRoute, shown } from '../page-route.ts';
import type {
  FoundModelsWire,
  PlatformsWire,
  SecretWire,
  TriedModelWire,
  TriedPlatformWire,
  VersionsWire,
} from '../wire/settings.ts';
import { bodies, bodyAs } from './bodies.ts';
import { examine, makeBackup, makeReport } from './commands.ts';
import { badRequest, noFile } from './no-file.ts';
import { shownCheck, shownDraft, shownEdited, shownSaved, shownText, shownVersion } from './shown.ts';
import { heldBy, logState, settingsState } from './state.ts';
import { settingsRouteWords } from './words.ts';

/** In bytes: a text of the config, as JSON spells it. */
const longestBody = 4 * 2 ** 20;

export const settingsRoutes: readonly PageRoute[] = [
  get('settings', async ({ language }, core) => shown(await settingsState(language, core))),
  get('settings/text', atDesk(readText)),
  get(
    'settings/schema',
    atDesk(async (desk) => whole({ schema: await desk.schema() })),
  ),
  get('settings/versions', atDesk(listVersions)),
  get('settings/versions/:number', atDesk(showVersion)),
  get('settings/platforms', atDesk(listPlatforms)),
  get('settings/models', atDesk(listModels)),
  post('settings/check', bodies.check, async (desk, { text }, { language }) =>
    whole(shownCheck(await desk.check(text, language))),
  ),
  post('settings/edit', bodies.edit, async (desk, { edits }, { language }) =>
    whole(
      shownEdited(
        await desk.edited(
          edits.map(({ path, value }) => ({ path, value })),
          language,
        ),
      ),
    ),
  ),
  post('settings/save', bodies.save, saveText),
  post('settings/restore', bodies.restore, restoreVersion),
  post('settings/secret', bodies.secret, keepSecret),
  post('settings/platforms/:name/try', bodies.tokens, tryPlatform),
  post('settings/models/try', bodies.model, tryModel),
  { method: 'POST', path: 'settings/doctor', forOwners: true, answer: examine },
  { method: 'POST', path: 'settings/backup', forOwners: true, answer: makeBackup },
  { method: 'POST', path: 'settings/report', forOwners: true, answer: makeReport },
  { method: 'POST', path: 'settings/log-level', forOwners: true, answer: chooseLogLevel },
];

/** What has no secret in it, and would be damaged by what takes them out: a text that is written back. */
function whole(body: object): PageAnswer {
  return { status: 200, body, isClean: true };
}

function get(path: string, answer: PageRoute['answer']): PageRoute {
  return { method: 'GET', path, forOwners: true, answer };
}

type AtDesk<Body> = (desk: ConfigDesk, body: Body, asked: PageAsked, core: PageCore) => Promise<PageAnswer>;

function post<Body>(path: string, schema: z.ZodType<Body>, answer: AtDesk<Body>): PageRoute {
  return {
    method: 'POST',
    path,
    forOwners: true,
    longestBody,
    answer: async (asked, core) => {
      const body = bodyAs(schema, asked.body);
      if (body === undefined) return badRequest;
      return answerAt(core, (desk) => answer(desk, body, asked, core));
    },
  };
}

function atDesk(answer: (desk: ConfigDesk, asked: PageAsked, core: PageCore) => Promise<PageAnswer>) {
  return (asked: PageAsked, core: PageCore): Promise<PageAnswer> => answerAt(core, (desk) => answer(desk, asked, core));
}

async function answerAt(
  { configDesk }: PageCore,
  answer: (desk: ConfigDesk) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  if (configDesk === undefined) return noFile;
  try {
    return await answer(configDesk);
  } catch (error) {
    // The file must be mended first.
    if (error instanceof ConfigError) return { status: 409, refusal: (language) => error.in(language) };
    const said = saidIn(error);
    if (said === undefined) throw error;
    return { status: 409, refusal: said };
  }
}

/** What the file system refuses. Undefined: it is another error. */
function saidIn(error: unknown) {
  const cause = error instanceof Error && !('code' in error) ? error.cause : error;
  if (!(cause instanceof Error) || !('code' in cause)) return undefined;
  const code = String(cause.code);
  return (language: PageAsked['language']) => settingsRouteWords[language].unreadable({ code });
}

async function readText(desk: ConfigDesk, { language }: PageAsked): Promise<PageAnswer> {
  return whole(shownText(await desk.text(language)));
}

async function listVersions(desk: ConfigDesk, { language }: PageAsked): Promise<PageAnswer> {
  const versions = await desk.versions(language);
  const told: VersionsWire = {
    versions: versions.map(({ number, keptAt, differs = null }) => ({ number, keptAt, differs })),
  };
  return shown(told);
}

async function showVersion(desk: ConfigDesk, { language, params }: PageAsked): Promise<PageAnswer> {
  const version = await desk.version(Number(params.number), language);
  return version === undefined ? noVersion : whole(shownVersion(version));
}

const noVersion: PageAnswer = { status: 404, refusal: (language) => settingsRouteWords[language].noVersion };

async function saveText(
  desk: ConfigDesk,
  { text, stamp }: z.infer<typeof bodies.save>,
  { language, visitor }: PageAsked,
  core: PageCore,
): Promise<PageAnswer> {
  const saved = await desk.save({ text, stamp, language, held: heldBy(core) });
  if (saved.type === 'saved') noteWrite(visitor.principal, core);
  return whole(shownSaved(saved));
}

async function restoreVersion(
  desk: ConfigDesk,
  { version, stamp }: z.infer<typeof bodies.restore>,
  { language, visitor }: PageAsked,
  core: PageCore,
): Promise<PageAnswer> {
  const saved = await desk.restore(version, { stamp, language, held: heldBy(core) });
  if (saved === undefined) return noVersion;
  if (saved.type === 'saved') noteWrite(visitor.principal, core);
  return whole(shownSaved(saved));
}

function noteWrite(by: string, { log }: PageCore): void {
  log.info({ part: 'page', by }, 'the config was written at the page');
}

async function keepSecret(
  desk: ConfigDesk,
  secret: z.infer<typeof bodies.secret>,
  { language, visitor }: PageAsked,
  { log }: PageCore,
): Promise<PageAnswer> {
  const kept: SecretWire = await desk.keepSecret(secret, language);
  if (kept.type === 'kept')
    log.info({ part: 'page', by: visitor.principal, variable: kept.name }, 'a variable of .env was set at the page');
  return shown(kept);
}

async function listPlatforms(desk: ConfigDesk, { language }: PageAsked): Promise<PageAnswer> {
  const told: PlatformsWire = { platforms: await desk.setup.platforms(language) };
  return shown(told);
}

async function tryPlatform(
  desk: ConfigDesk,
  { tokens }: z.infer<typeof bodies.tokens>,
  { language, params }: PageAsked,
): Promise<PageAnswer> {
  const tried = await desk.setup.tryPlatform(params.name ?? '', new Map(Object.entries(tokens)), language);
  if (tried === undefined) return { status: 404, refusal: (reader) => settingsRouteWords[reader].noPlatform };
  const { ok, state, problems } = tried;
  const told: TriedPlatformWire = { ok, state, problems, ...shownDraft(tried) };
  return shown(told);
}

async function listModels(desk: ConfigDesk, { language }: PageAsked): Promise<PageAnswer> {
  const models = await desk.setup.models(language);
  const told: FoundModelsWire = {
    models: models.map(({ label, hint, wish: { provider, name, baseUrl } }) => ({
      label,
      hint,
      wish: {
        provider,
        ...(name === undefined ? {} : { name }),
        ...(baseUrl === undefined ? {} : { baseUrl }),
      },
    })),
  };
  return shown(told);
}

async function tryModel(
  desk: ConfigDesk,
  { provider, name, baseUrl, apiKey }: z.infer<typeof bodies.model>,
  { language }: PageAsked,
): Promise<PageAnswer> {
  const tried = await desk.setup.tryModel({ provider, name, baseUrl, apiKey }, language);
  if (tried.type !== 'tried') return shown(tried);
  const { type, ok, said } = tried;
  const told: TriedModelWire = { type, ok, said, ...shownDraft(tried) };
  return shown(told);
}

async function chooseLogLevel({ body, visitor }: PageAsked, core: PageCore): Promise<PageAnswer> {
  const wanted = bodyAs(bodies.logLevel, body);
  if (wanted === undefined) return badRequest;
  const { logThreshold: threshold, log } = core;
  const level = wanted.level === 'default' ? undefined : wanted.level;
  const fields = { part: 'page', by: visitor.principal, from: threshold.level, to: level ?? threshold.configured };
  // What is missing in a log should have a reason there: it is told at the level that has more.
  const isBefore = threshold.includes('warn');
  if (isBefore) noteLevel(fields, log);
  threshold.choose(level);
  if (!isBefore) noteLevel(fields, log);
  return shown(logState(core));
}

function noteLevel(fields: object, log: PageCore['log']): void {
  log.warn(fields, 'the level of the log is another one from here on: an owner said so at the page');
}
