/** Shells that take their commands as a text. */
const shells: ReadonlySet<string> = new Set('sh bash dash ash zsh ksh mksh rbash fish csh tcsh'.split(' '));

export function isShell(program: string): boolean {
  return shells.has(program);
}

/** Programs that run code of a language of their own. */
export const interpreters: ReadonlySet<string> = new Set(
  'python python2 python3 node nodejs deno bun perl ruby php lua luajit tclsh expect Rscript R julia osascript pwsh powershell ghci irb groovy scala java gdb ts-node tsx guile racket emacs vim vi nvim ed ex sqlite3 psql mysql'.split(
    ' ',
  ),
);

/** Python with its version in its name, and so on. */
export function interpreterOf(program: string): string | undefined {
  const plain = program.replace(/[\d.]+$/, '');
  if (interpreters.has(program)) return program;
  return interpreters.has(plain) ? plain : undefined;
}
