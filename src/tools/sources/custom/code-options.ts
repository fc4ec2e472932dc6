/** Options whose value a program runs, or takes its orders from: by the name of the program. */
export const codeOptions: ReadonlyMap<string, readonly string[]> = new Map([
  ['psql', ['-c', '--command', '-f', '--file']],
  ['mysql', ['-e', '--execute', '--init-command']],
  ['mariadb', ['-e', '--execute', '--init-command']],
  ['sqlite3', ['-cmd', '-init']],
  ['git', ['-c', '--config-env', '--exec-path', '--upload-pack', '--receive-pack', '--exec', '--extcmd']],
  [
    'tar',
    ['-I', '-F', '--use-compress-program', '--to-command', '--checkpoint-action', '--info-script', '--rsh-command'],
  ],
  ['rsync', ['-e', '--rsh', '--rsync-path']],
  ['ssh', ['-o', '-F']],
  ['scp', ['-o', '-F', '-S']],
  ['sftp', ['-o', '-F', '-S', '-b']],
  ['curl', ['-K', '--config']],
  ['wget', ['-e', '--execute', '--config', '--use-askpass']],
  ['sort', ['--compress-program']],
  ['man', ['-P', '-H', '--pager', '--html']],
  ['zip', ['-TT', '--unzip-command']],
  ['docker', ['--entrypoint']],
  ['podman', ['--entrypoint']],
  ['printf', ['-v']],
  ['rg', ['--pre']],
  ['nc', ['-e', '-c', '--exec', '--sh-exec', '--lua-exec']],
  ['ncat', ['-e', '-c', '--exec', '--sh-exec', '--lua-exec']],
  ['mongosh', ['--eval', '-f', '--file']],
  ['mongo', ['--eval']],
  ['duckdb', ['-c', '-s', '-cmd', '-init']],
  ['gnuplot', ['-e']],
  ['dc', ['-e', '-f', '--expression', '--file']],
  ['test', ['-v']],
  ['[', ['-v']],
]);

/** Builtins of shells that take names of variables, which bash computes, or code. */
export const findsNames: ReadonlySet<string> = new Set(
  `let unset read export declare typeset local readonly getopts mapfile readarray enable bind complete compgen hash fc`.split(
    ' ',
  ),
);

/** Programs whose arguments, all of them, may be commands. */
export const takesCommands: ReadonlySet<string> = new Set(['socat', 'tmux', 'screen', 'less', 'more', 'most']);

/** Programs that take orders from what comes in, among which are commands for a shell. */
export const obeysInput: ReadonlySet<string> = new Set([
  'at',
  'batch',
  'crontab',
  'ed',
  'ex',
  'red',
  'dc',
  'm4',
  'gnuplot',
  'mongosh',
  'mongo',
  'duckdb',
  'gdb',
  'sftp',
  'ftp',
]);

/** The names of files by which a program reads what comes in. */
export const inputNames: ReadonlySet<string> = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** Programs that expand all that they are given. */
export const readsMake: ReadonlySet<string> = new Set(['make', 'gmake']);
