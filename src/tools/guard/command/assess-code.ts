import type { Assessed } from './assessed.ts';
import { type Finding, finding } from './command-kind.ts';
import { interpreterOf, isShell } from './programs.ts';
import { isPowerfulVariable } from './syntax-doubts.ts';

/** Programs that run what the files of a project say. */
const runners: ReadonlySet<string> = new Set(
  `make gmake ninja cmake ctest bazel gradle gradlew mvn ant sbt lein rake just task npx bunx uvx pnpx pytest tox nox
  jest vitest mocha ava tap playwright cypress eslint prettier webpack rollup vite next astro ng tsc tsup
  ansible ansible-playbook vagrant packer docker-compose source . mix rebar3 stack cabal dotnet meson scons
  phpunit rspec invoke fab pre-commit husky lerna nx turbo storybook electron act tilt skaffold entr parallel
  ld.so mapfile readarray complete enable bind hash`.split(/\s+/),
);

const codeVerbs: ReadonlyMap<string, RegExp> = new Map([
  [
    'npm',
    /^(?:test|t|tst|run|run-script|start|stop|restart|exec|x|i|in|install|ci|add|create|init|rebuild|pack|publish|update|up|explore|it)$/,
  ],
  ['pnpm', /^(?!(?:list|ls|why|outdated|config|view|info)$)/],
  ['yarn', /^(?!(?:list|why|outdated|config|info)$)/],
  ['bun', /^/],
  ['pip', /^(?:install|wheel|download)$/],
  ['pip3', /^(?:install|wheel|download)$/],
  ['pipx', /^(?:install|run)$/],
  ['uv', /^(?:run|pip|sync|tool|add)$/],
  ['poetry', /^(?:run|install|shell|add)$/],
  ['cargo', /^(?!(?:tree|metadata|search|locate-project|fmt)$)/],
  ['go', /^(?:run|test|generate|build|install|tool|get|vet)$/],
  ['gem', /^(?:install|update)$/],
  ['bundle', /^(?:exec|install|)$/],
  ['composer', /^(?!(?:show|why|outdated)$)/],
  ['docker', /^(?:run|exec|build|buildx|compose|start|restart|create)$/],
  ['podman', /^(?:run|exec|build|compose|start|restart|create)$/],
  ['kubectl', /^(?:exec|run|apply|create|debug)$/],
  ['openssl', /^(?:engine)$/],
]);

/** What runs code that does not stand in the command, or stands there in a language that is not the shell's. */
export function assessCode(command: Assessed): readonly Finding[] {
  const { program, words, verb } = command;
  if (isShell(program)) return [];
  if (runners.has(program) || codeVerbs.get(program)?.test(verb) === true) {
    return [finding('hidden_code', verb === '' ? program : `${program} ${verb}`)];
  }
  if (interpreterOf(program) !== undefined) return ofInterpreter(command);
  return runsCode(command) ? [finding('hidden_code', program)] : inAwk(program, words);
}

function ofInterpreter({ program, words }: Assessed): readonly Finding[] {
  if (words.length === 1 && /^(?:--version|--help|-V|-v|-h)$/.test(words[0]?.text ?? ''))
    return [finding('reading', program)];
  // Not to understand the code, but to notice what it says openly.
  const isDeleting = words.some(({ text }) =>
    /rmtree|rm_rf|remove_tree|rmSync\([^)]{0,300}recursive|\brm\s{1,9}(?:-\w{1,9}\s{1,9}){0,9}-\w{0,9}(?:r\w{0,9}f|f\w{0,9}r)/i.test(
      text,
    ),
  );
  return [finding('hidden_code', program), ...(isDeleting ? [finding('recursive_deletion')] : [])];
}

function inAwk(program: string, words: Assessed['words']): readonly Finding[] {
  if (!/^[gmn]?awk$/.test(program)) return [];
  const runs = words.some(({ text }) =>
    /system\s*\(|\||getline|^-(?:f|i|l|E)|^--(?:file|exec|include|load)|@load|@include|@\w+\s*\(/.test(text),
  );
  // Of gawk, these options write what it has read or counted.
  const writes = words.some(
    ({ text }) => /^-[dop]|^--(?:dump|pretty|prof)/.test(text) || text === 'inplace' || prints(text),
  );
  if (runs) return [finding('hidden_code', program)];
  return [finding(writes ? 'writing' : 'reading', ...(writes ? [] : [program]))];
}

/** What stands in a string is no end of the statement, and what is compared with is seldom a string. */
function prints(script: string): boolean {
  return /print[^;}]{0,500}>|>\s*""/.test(script.replace(/"(?:[^"\\]|\\.)*"/g, '""'));
}

/** Options by which a harmless program runs another. */
function runsCode(command: Assessed): boolean {
  const { program, words, options } = command;
  const has = (pattern: RegExp): boolean => words.some(({ text }) => pattern.test(text));
  switch (program) {
    case 'git':
      return gitRunsCode(command, has);
    case 'tar':
    case 'bsdtar':
      return has(/^--(?:checkpoint-a|to-c|use-c|rsh|info|new-v|rmt)|^-[a-zA-Z]*[IF]$/);
    case 'sort':
      return has(/^--compress-p/);
    case 'rg':
      return has(/^--(?:pre|hostname-bin)(?:=|$)/);
    case 'sed':
      return has(/^-[nErsuz]*f|^--fi|(?:^|[;\n{}\s\d$/!=])e(?:\s|$)|\/[gpiIMm\d]*e[gpiIMm\d]*(?:$|[;\n}\s])/);
    case 'diff3':
    case 'sdiff':
      return has(/^--diff-p/);
    case 'ag':
    case 'ack':
      return has(/^--pager/);
    case 'jobs':
      return has(/^-\w*x/);
    case 'compgen':
      return has(/^-\w*[CF]/);
    case 'dc':
      return command.hasInput || options.operands.length > 0 || has(/!|^-\w*f|^--f/);
    case 'let':
    case 'unset':
    case 'read':
    case 'getopts':
      return setsByName(words);
    case 'printf':
    case 'test':
    case '[':
      return has(/^-v/) && setsByName(words);
    case 'rsync':
      return options.hasLetter('e') || options.hasName('rsh', 'rsync-path');
    case 'ssh':
    case 'scp':
    case 'sftp':
      return program === 'ssh' ? false : has(/^-[a-zA-Z]*[SoFD]/);
    case 'curl':
      return options.hasLetter('K') || options.hasName('config');
    case 'wget':
      return options.hasLetter('ei') || options.hasName('execute', 'use-askpass', 'config');
    case 'zip':
      return has(/^-(?:TT|T)$|^--unzip-c/);
    case 'man':
      return has(/^-[PH]|^--(?:pager|html)/);
    case 'less':
    case 'more':
    case 'nano':
    case 'mutt':
    case 'screen':
    case 'tmux':
      return true;
    case 'export':
    case 'declare':
    case 'typeset':
    case 'readonly':
    case 'local':
      return has(
        /^(?:LD_|DYLD_|PATH|BASH_ENV|ENV|NODE_|PYTHON|PERL|RUBY|GIT_|\w*PAGER|IFS|PROMPT_|PS\d|SHELL|EDITOR|VISUAL|LESS)/,
      );
    default:
      return false;
  }
}

/** Names of variables by which a program is run, or with an index that bash computes, and runs what stands in it. */
function setsByName(words: Assessed['words']): boolean {
  return words.some(({ text }) => /\[[^\]]{0,200}[$`]/.test(text) || isPowerfulVariable(text.split('=', 1)[0] ?? ''));
}

function gitRunsCode(command: Assessed, has: (pattern: RegExp) => boolean): boolean {
  if (has(/^-c$|^-c\S*=|^--(?:git-dir|config-env|exec-path|upload-p|receive-p|ext-diff|exec|extcmd|open-files)|^-O/))
    return true;
  return (
    /^(?:submodule|bisect|filter-branch|difftool|mergetool|rebase|hook|maintenance|gui|gitk|instaweb|cvs\w*|svn|p4)$/.test(
      command.verb,
    ) || has(/^ext::/)
  );
}
