import { existsSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { keyMakers } from '../../config/key-shapes.ts';
import { trustCertificates } from '../../lib/network/certificates/certificates.ts';
import { openNetwork } from '../../lib/network/open-network.ts';
import { isDataLocked } from '../../store/examine.ts';
import { loadOptionsOf, type Place } from '../place.ts';
import type { Program } from '../program.ts';
import { processLanguage } from '../words.ts';
import { type Draft, emptyDraft, type Ground, loadDraft, newTexts, readGround } from './draft.ts';
import type { SetupParts } from './parts.ts';
import { usualSurroundings } from './surroundings.ts';
import { requireWritable } from './write-files.ts';

/** Looks at what there is. Throws `ConfigError` if a config is there that cannot be used, and `UnansweredError` if none can be written. */
export async function prepareSetup(place: Place, program: Program): Promise<SetupParts> {
  const options = await loadOptionsOf(place, program);
  const ground = await readGround(options, processLanguage(place.env));
  const loaded = await loadDraft(ground, emptyDraft);
  requireWritable(ground);
  trustCertificates(loaded.network.certificates);
  const network = await openNetwork(loaded.network.proxies);
  const dataFolder = loaded.config.data_dir;
  const language = processLanguage(place.env, loaded.config);
  return {
    ground: { ...ground, language },
    loaded,
    surroundings: program.surroundings ?? usualSurroundings,
    fetch: network.fetch,
    place,
    dataFolder,
    isRunning: existsSync(dataFolder) && isDataLocked(dataFolder),
    language,
  };
}

/** The variables that the draft relies on, and that only the environment of this process has. */
export function onlyInEnvironment(ground: Ground, draft: Draft): readonly string[] {
  const { env = ground.envText ?? '' } = newTexts(ground, draft);
  const file = parseEnv(env);
  const named = draft.edits.flatMap(({ value }) =>
    [...JSON.stringify(value).matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name),
  );
  const implied = keyMakers.flatMap(({ provider, variable, baseUrl }) =>
    baseUrl === undefined && draft.edits.some(({ value }) => isWithoutKey(value, provider)) ? [variable] : [],
  );
  return [...new Set([...named, ...implied])].filter(
    (name) => file[name] === undefined && (ground.options.env[name] ?? '') !== '',
  );
}

function isWithoutKey(value: unknown, provider: string): boolean {
  const { provider: own, api_key: key }: { provider?: unknown; api_key?: unknown } = Object(value);
  return own === provider && key === undefined;
}
