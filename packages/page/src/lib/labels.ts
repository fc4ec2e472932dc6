/** The text of a button without the sign that it begins with in chats: "✅ Approve" is "Approve". */
export function withoutSign(label: string): string {
  const rest = label.replace(/^(?:\p{Extended_Pictographic}[\u{1f3fb}-\u{1f3ff}\ufe0f]?\u200d?)+\s*/u, '');
  return rest === '' ? label : rest;
}
