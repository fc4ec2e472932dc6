/** `from '…'` behind an import or export; `import '…'`; `import('…')`. */
const importing =
  /\b(?:import|export)\b[^'"`;]*?\bfrom\s*(?<q>['"])(?<from>[^'"\n]+)\k<q>|\bimport\s*(?<r>['"])(?<bare>[^'"\n]+)\k<r>|\bimport\s*\(\s*(?<s>['"`])(?<dynamic>[^'"`$\n]+)\k<s>\s*[,)]/g;

/**
 * What a file imports by names that stand in it. It may find more than there is, as in a comment. What it does not find is
 * refused when it is imported: so nothing is loaded that was not seen here.
 */
export function specifiersIn(source: Buffer): readonly string[] {
  const found = Array.from(source.toString().matchAll(importing), ({ groups: { from, bare, dynamic } = {} }) => {
    return from ?? bare ?? dynamic ?? '';
  });
  return [...new Set(found)];
}
