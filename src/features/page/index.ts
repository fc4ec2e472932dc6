import type { ConfigChange, Feature, FeatureCore, FeatureDefinition, WebRoute } from '../../feature-points.ts';
import { once } from '../../lib/background.ts';
import { signal } from '../../lib/live.ts';
import { ownFolder } from '../../lib/own-version.ts';
import { wordsIn } from '../../lib/words.ts';
import { obeyedPageCommands, pageCommands } from './commands.ts';
import { type LinkParts, linksFor } from './links.ts';
import { linkAtMachine } from './machine-link.ts';
import { pageNames, rootFiles } from './page-names.ts';
import type { PageParts } from './page-parts.ts';
import { PushFollower } from './push/push-follower.ts';
import { pageSettings } from './settings.ts';
import { pageTables } from './tables.ts';
import { SignInTickets } from './tickets.ts';

/** The page in the browser: chat, approve, and see what was done. Nothing of it is loaded before the first request. */
export const page: FeatureDefinition = {
  name: 'page',
  commands: pageCommands.all,
  settings: pageSettings,
  tables: pageTables,
  make: makePage,
};

function makePage(core: FeatureCore): Feature {
  const build = once(async () => (await import('./server/build.ts')).createBuild({ ...core, folder: ownFolder() }));
  const links: LinkParts = { ...core, tickets: new SignInTickets(core.clock), issued: signal<void>() };
  // Somebody will come: who builds the page now does not let them wait.
  links.issued.listen(() => void build().then((begin) => begin()));
  const parts: PageParts = {
    ...core,
    ...links,
    // A stolen browser must not read a link that signs in another one.
    redact: (text) => links.tickets.hiddenIn(core.redact(text)),
    edited: signal<void>(),
    linksFor: (person) => linksFor(person, links),
    build: async () => (await build())(),
  };
  const load = once(async () => {
    const { createPageServer } = await import('./server/page-server.ts');
    core.muchLoaded.tell();
    return createPageServer(parts);
  });
  for (const name of [...pageNames, ...rootFiles, 'assets', 'signin', 'page'])
    core.webRoutes.set(name, (request, address) => answer(request, address, { parts, load }));
  core.localRequests.set('web', (asked) => linkAtMachine(asked, parts));
  const changes = once(async () => (await import('./changes.ts')).createChanges(parts));
  core.webFrames.set('page_follow', (_frame, client) => void changes().then((follow) => follow(client)));
  const pushes = new PushFollower(parts);
  return {
    commands: obeyedPageCommands(parts),
    start: () => {
      pushes.start();
      return openForBrowsers(parts);
    },
    reload: (change) => follow(change, parts),
    stop: () => pushes.stop(),
  };
}

interface Served {
  readonly parts: PageParts;
  readonly load: () => Promise<WebRoute>;
}

async function answer(request: Request, address: string, { parts, load }: Served): Promise<Response> {
  if (isOn(parts)) return (await load())(request, address);
  const { serverWords } = await import('./server/words.ts');
  return Response.json({ error: serverWords.en.nothingHere }, { status: 404 });
}

function isOn({ settings }: FeatureCore): boolean {
  return settings(pageSettings).page.enabled;
}

/** Who signed in before comes back without a link. */
async function openForBrowsers(parts: PageParts): Promise<void> {
  const { webDoor, log } = parts;
  if (!isOn(parts)) return webDoor.close();
  if (!webDoor.hasBrowsers()) return;
  const places = await webDoor.open();
  if ('refusal' in places) log.warn({ part: 'page', why: wordsIn('en', places.refusal) }, 'browsers cannot come in');
}

async function follow({ from, to }: ConfigChange, parts: PageParts): Promise<void> {
  parts.edited.tell();
  const [before, now] = [from, to].map((config) => pageSettings.read(config).page.enabled);
  if (before === now) return;
  return now === true ? openForBrowsers(parts) : parts.webDoor.close();
}
