/** How a person gives a command here, before its name: a clone runs its sources, a package the built code. */
export function ownCommand(): string {
  return import.meta.url.endsWith('.ts') ? 'npm start --' : 'keyturn';
}
