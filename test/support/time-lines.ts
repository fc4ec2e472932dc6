/** The text without the lines that tell when messages were sent, which differ from run to run. */
export function withoutTimes(text: string): string {
  return text.replaceAll(/^<keyturn_event kind="sent">[^<\n]*<\/keyturn_event>\n/gm, '');
}
