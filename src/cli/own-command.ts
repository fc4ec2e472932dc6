/** The command that starts Keyturn: a clone runs its sources, a package the built code. */
export function ownCommand(): string {
  return import.meta.url.endsWith('.ts') ? 'npm start --' : 'keyturn';
}
