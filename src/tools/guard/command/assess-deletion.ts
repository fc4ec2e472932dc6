import type { Assessed } from './assessed.ts';
import { type Finding, finding } from './command-kind.ts';
import { everyFound } from './inner-calls.ts';
import { isSystemPath } from './paths.ts';

/** What takes files away. */
export function assessDeletion(command: Assessed): readonly Finding[] {
  const { program, words, options } = command;
  const paths = options.operands.map(({ text }) => text);
  switch (program) {
    case 'rm':
    case 'grm':
    case 'srm':
    case 'wipe':
      return ofRemove(command);
    case 'rimraf':
    case 'rmtree':
      return [finding('recursive_deletion', ...paths)];
    case 'unlink':
    case 'rmdir':
    case 'shred':
    case 'trash':
    case 'trash-put':
    case 'gvfs-trash':
      return [finding('deletion', ...paths), ...ofSystem(command)];
    case 'find':
      return words.some(({ text }) => text === '-delete')
        ? [finding('recursive_deletion', ...startsOfFind(command))]
        : [];
    case 'git':
      return ofGit(command);
    case 'rsync':
      return words.some(({ text }) => /^--(?:del|remove-s)/.test(text))
        ? [finding('deletion', paths.at(-1) ?? '')]
        : [];
    case 'tar':
    case 'zip':
      return options.hasName('remove-files') ? [finding('deletion', ...paths)] : [];
    default:
      return [];
  }
}

function ofRemove(command: Assessed): readonly Finding[] {
  const { words, options } = command;
  const paths = options.operands.filter(({ text }) => text !== everyFound && text !== '{}').map(({ text }) => text);
  const isOfAll = words.some(({ text }) => text === everyFound);
  const isRecursive = options.hasLetter('rR') || options.hasName('recursive');
  const isForced = options.hasLetter('f') || options.hasName('force');
  // Words that only running it would tell may be its options.
  const isOpen = words.some(({ isKnown, beginning }) => !isKnown && beginning === '');
  const kind = isOfAll || (isRecursive && isForced) ? 'recursive_deletion' : 'deletion';
  return [finding(kind, ...paths), ...(isOpen ? [finding('unknown', 'rm')] : []), ...ofSystem(command)];
}

function ofSystem({ options }: Assessed): readonly Finding[] {
  const system = options.operands.filter(isSystemPath).map(({ text }) => text);
  return system.length === 0 ? [] : [finding('system_change', ...system)];
}

function startsOfFind({ words }: Assessed): readonly string[] {
  const end = words.findIndex(({ text }) => /^[-(!]/.test(text));
  return words.slice(0, end === -1 ? words.length : end).map(({ text }) => text);
}

function ofGit({ words, options }: Assessed): readonly Finding[] {
  const has = (verb: string): boolean => words.some(({ text }) => text === verb);
  const isForced = options.hasLetter('f') || options.hasName('force');
  if (has('clean') && isForced) return [finding(options.hasLetter('dxX') ? 'recursive_deletion' : 'deletion')];
  if (!has('rm')) return [];
  return [finding(isForced && options.hasLetter('r') ? 'recursive_deletion' : 'deletion')];
}
