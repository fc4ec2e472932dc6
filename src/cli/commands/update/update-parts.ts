import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ownFolder } from '../../../lib/own-version.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { managerHere } from '../service/manager-here.ts';
import type { ServiceManager } from '../service/service-manager.ts';
import { clone } from './clone.ts';
import { globalPackage } from './global-package.ts';
import { type Installation, kindOf } from './installation.ts';
import type { OwnProgram } from './trial.ts';
import { updateWords } from './words.ts';

/** What an update works with. */
export interface UpdateParts {
  readonly context: CommandContext;
  readonly installation: Installation;
  readonly manager: ServiceManager;
  /** The service of this user, if it runs this installation. */
  readonly service: OwnService | undefined;
  readonly own: OwnProgram;
  /** Absolute. That of the service, unless the operator named one. */
  readonly config: string;
}

export interface OwnService {
  /** The config that its file names, absolute. Undefined if it names none. */
  readonly config: string | undefined;
}

export function updateParts(context: CommandContext): UpdateParts {
  const { place, program } = context;
  const { env } = program.process;
  const folder = ownFolder();
  const kind = kindOf(folder);
  if (kind === 'other')
    throw new UnansweredError(exitCodes.failed, (language) => updateWords[language].otherKind({ folder }));
  const start = join(folder, kind === 'clone' ? 'src/start.js' : 'src/packaged.js');
  const manager = managerHere(program.process, { allowsRoot: true });
  const service = ownService(manager, start);
  const named = place.explicit ? resolve(place.cwd, place.path) : service?.config;
  return {
    context,
    installation: kind === 'clone' ? clone(folder, env) : globalPackage(folder, env),
    manager,
    service,
    own: {
      start,
      options: { cwd: program.process.cwd(), environment: env },
      config: named === undefined ? [] : ['--config', named],
    },
    config: named ?? resolve(place.cwd, place.path),
  };
}

/** The same for another config. */
export function partsFor(config: string | undefined, parts: UpdateParts): UpdateParts {
  return config === undefined ? parts : { ...parts, config, own: { ...parts.own, config: ['--config', config] } };
}

/** A service of another installation is left alone. One whose file names no program of ours may begin in a script. */
function ownService(manager: ServiceManager, start: string): OwnService | undefined {
  const text = existsSync(manager.file) ? readFileSync(manager.file, 'utf8') : undefined;
  if (text === undefined) return undefined;
  const starts = manager.pathsIn(text).filter((path) => /[\\/]src[\\/](?:start|packaged)\.js$/.test(path));
  if (starts.length > 0 && !starts.some((path) => isSameFile(path, start))) return undefined;
  return { config: manager.configIn(text) };
}

/** Whether two paths lead to one file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => (existsSync(path) ? realpathSync(path) : path));
  return a === b;
}
