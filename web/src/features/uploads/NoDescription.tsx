// The dialog that says that a picture has no description. One press posts without it, but the button that is
// offered first leads to the description.

import { many, say } from "../../say";
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
      title={say("No description")}
      role="alertdialog"
      open={open}
      onClose={onAdd}
      actions={
        <>
          <Button variant="quiet" onClick={onPost}>
            {say("Post anyway")}
          </Button>
          <Button data-autofocus onClick={onAdd}>
            {say("Add one")}
          </Button>
        </>
      }
    >
      {many(
        count,
        "One picture has no description. A few words let people who can't see it be there too.",
        "{n} pictures have no description. A few words let people who can't see them be there too.",
      )}
    </Dialog>
  );
}
