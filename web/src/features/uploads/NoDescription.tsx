// The dialog that says that a picture has no description. One press posts without it, but the button that is
// offered first leads to the description.

import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";

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
    <Dialog
      title="No description"
      role="alertdialog"
      open={open}
      onClose={onAdd}
      actions={
        <>
          <Button variant="quiet" onClick={onPost}>
            Post anyway
          </Button>
          <Button data-autofocus onClick={onAdd}>
            Add one
          </Button>
        </>
      }
    >
      {`${count === 1 ? "One picture has" : `${String(count)} pictures have`} no description. A few words let people who can't see ${count === 1 ? "it" : "them"} be there too.`}
    </Dialog>
  );
}
