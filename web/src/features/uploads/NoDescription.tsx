// The dialog that says that a picture has no description. One press posts without it.

import { ConfirmDialog } from "../../ui/ConfirmDialog";

export function NoDescription({
  open,
  count,
  onAdd,
  onPost,
}: {
  open: boolean;
  count: number;
  onAdd(): void;
  onPost(): void;
}) {
  return (
    <ConfirmDialog
      title="No description"
      open={open}
      cancel="Add one"
      confirm="Post anyway"
      onConfirm={onPost}
      onClose={onAdd}
    >
      {`${count === 1 ? "One picture has" : `${String(count)} pictures have`} no description. A few words let people who can't see ${count === 1 ? "it" : "them"} be there too.`}
    </ConfirmDialog>
  );
}
