/** What the model reads below the result of a tool that has failed so often in a row. */
export function failureNote(times: number): string {
  return `\n[This tool has failed ${times} times in a row. Find another way, or tell the person what is wrong.]`;
}

/** The result without such a note: the same failure again is the same result. */
export function withoutFailureNote(text: string): string {
  return text.replace(/\n\[This tool has failed \d+ times in a row\. [^\]\n]*\]$/, '');
}
