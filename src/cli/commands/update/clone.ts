import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundlesOfClone, noteOfClone } from '../../../bundle.js';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import { messageOf } from '../../../lib/plain-text.ts';
import type { InLanguage } from '../../../lib/words.ts';
import { addedLines } from './changes.ts';
import {
  anyNode,
  type Found,
  faultOf,
  type Installation,
  type Newer,
  type ProgramRun,
  runProgram,
  type Version,
  type Way,
} from './installation.ts';
import { updateWords } from './words.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A clone of the sources: follows the branch that it is on. */
export function clone(folder: string, environment: Environment): Installation {
  const quiet = { ...environment, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' };
  const git: Git = (...args) => runProgram('git', args, { cwd: folder, environment: quiet });
  const place = git('rev-parse', '--absolute-git-dir').stdout.trim() || join(folder, '.git');
  const parts = { git, folder, environment, formerModules: join(place, 'keyturn-former-modules') };
  const note = join(place, 'keyturn-update.json');
  // Before anything is replaced.
  const wasPacked = existsSync(join(folder, bundlesOfClone, noteOfClone));
  return {
    folder,
    note,
    look: () => look(git),
    keep: (newer) => keep(newer, parts),
    take: (newer) => take(newer, parts),
    pack: () => (wasPacked ? pack(parts) : undefined),
    obstacle: (way) => obstacle(way, { ...parts, note }),
    goBack: (former) => goBack(former, parts),
    tidy: () => rmSync(parts.formerModules, { recursive: true, force: true }),
  };
}

type Git = (...args: readonly string[]) => ProgramRun;

function look(git: Git): Found {
  const head = git('rev-parse', 'HEAD');
  const fault = faultOf(head, 'git rev-parse');
  if (fault !== undefined) return refused((language) => updateWords[language].noGit({ fault }));
  const upstream = git('rev-parse', '--abbrev-ref', '--symbolic-full-name', '@{upstream}');
  if (upstream.code !== 0) {
    const branch = git('symbolic-ref', '--quiet', '--short', 'HEAD').stdout.trim();
    return refused((language) => {
      const say = updateWords[language];
      return branch === '' ? say.noBranch : say.noUpstream({ branch });
    });
  }
  const changed = git('status', '--porcelain', '--untracked-files=no').stdout.trimEnd();
  if (changed !== '') {
    const files = changed.split('\n').map((line) => line.slice(3));
    return refused((language) => updateWords[language].localChanges({ files: files.slice(0, 5), count: files.length }));
  }
  const fetched = faultOf(git('fetch', '--quiet'), 'git fetch');
  if (fetched !== undefined) return refused((language) => updateWords[language].notFetched({ fault: fetched }));
  const from = versionAt('HEAD', git);
  const to = versionAt('@{upstream}', git);
  const isBehind = git('merge-base', '--is-ancestor', 'HEAD', '@{upstream}').code === 0;
  if (!isBehind) {
    const isAhead = git('merge-base', '--is-ancestor', '@{upstream}', 'HEAD').code === 0;
    const branch = upstream.stdout.trim();
    return isAhead ? { type: 'newest', from } : refused((language) => updateWords[language].diverged({ branch }));
  }
  if (from.id === to.id) return { type: 'newest', from };
  const textOf = (file: string, of: Version): string => git('show', `${of.id}:${file}`).stdout;
  return {
    type: 'newer',
    from,
    to,
    changes: addedLines(textOf('CHANGELOG.md', from), textOf('CHANGELOG.md', to)),
    schemas: { from: textOf('config.schema.json', from), to: textOf('config.schema.json', to) },
  };
}

function refused(words: InLanguage): Found {
  return { type: 'refused', words };
}

function versionAt(name: string, git: Git): Version {
  const manifest = parseJson(git('show', `${name}:package.json`).stdout);
  const version = isJsonObject(manifest) && typeof manifest.version === 'string' ? manifest.version : 'unknown';
  return { version, id: git('rev-parse', name).stdout.trim() };
}

interface Clone {
  readonly git: Git;
  readonly folder: string;
  readonly environment: Environment;
  /** Where the dependencies are kept while the newer version has its own. */
  readonly formerModules: string;
}

/** What a killed update has not removed any more would else be taken for the dependencies of this one. */
function keep({ from }: Newer, { git, formerModules }: Clone): string | undefined {
  const head = git('rev-parse', 'HEAD').stdout.trim();
  if (head !== from.id) return `git rev-parse HEAD: ${head}`;
  try {
    rmSync(formerModules, { recursive: true, force: true });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function take({ from, to }: Newer, { git, folder, environment, formerModules }: Clone): string | undefined {
  const modules = join(folder, 'node_modules');
  const isSame = git('diff', '--quiet', from.id, to.id, '--', 'package-lock.json').code === 0;
  // Whoever has installed the tools of developers wants to have them.
  const forDevelopers = existsSync(join(modules, 'vitest'));
  const moved = faultOf(git('merge', '--quiet', '--ff-only', to.id), 'git merge');
  if (moved !== undefined || isSame) return moved;
  try {
    if (existsSync(modules)) renameSync(modules, formerModules);
  } catch (error) {
    return messageOf(error);
  }
  const args = ['ci', ...(forDevelopers ? [] : ['--omit=dev']), '--no-audit', '--no-fund'];
  return faultOf(runProgram('npm', args, { cwd: folder, environment }), 'npm ci');
}

/** Within bounds: it is for comfort. What takes too much of a small machine is not begun. */
function pack({ folder, environment }: Clone): InLanguage | undefined {
  const [script, run] = ['scripts/bundle-clone.ts', 'scripts/run.js'];
  const needed = [script, run, 'node_modules/rolldown'];
  if (needed.some((path) => !existsSync(join(folder, path)))) return undefined;
  if (process.availableMemory() < memoryToPack) return (language) => updateWords[language].noMemoryToPack;
  const bounded = { ...environment, NODE_OPTIONS: `${environment.NODE_OPTIONS ?? ''} --max-old-space-size=512`.trim() };
  const options = { cwd: folder, environment: bounded, longest: longestPacking };
  const fault = faultOf(runProgram(anyNode(environment), [run, script], options), script);
  return fault === undefined ? undefined : (language) => updateWords[language].notPacked({ fault });
}

/** In bytes. Measured: 1.3 GB. */
const memoryToPack = 1.5 * 2 ** 30;

/** In ms. It takes some five seconds. */
const longestPacking = 120_000;

/** The reset would take commits off the branch, and drop edits: a file that is as neither version has it, was edited. */
function obstacle({ from, to }: Way, { git, note }: Clone & { readonly note: string }): InLanguage | undefined {
  const head = git('rev-parse', 'HEAD').stdout.trim();
  if (head !== from.id && head !== to.id)
    return (language) => updateWords[language].movedOn({ head, from: from.id, to: to.id, note });
  const differing = ({ id }: Version): readonly string[] => git('diff', '--name-only', id).stdout.trimEnd().split('\n');
  const ofFormer = new Set(differing(from));
  const files = differing(to).filter((file) => file !== '' && ofFormer.has(file));
  if (files.length === 0) return undefined;
  return (language) => updateWords[language].localChanges({ files: files.slice(0, 5), count: files.length });
}

function goBack(former: Version, { git, folder, formerModules }: Clone): string | undefined {
  const fault = faultOf(git('reset', '--quiet', '--hard', former.id), 'git reset');
  if (fault !== undefined || !existsSync(formerModules)) return fault;
  try {
    const modules = join(folder, 'node_modules');
    rmSync(modules, { recursive: true, force: true });
    renameSync(formerModules, modules);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
