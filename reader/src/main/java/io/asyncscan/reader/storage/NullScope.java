// SPDX-License-Identifier: Apache-2.0
package io.asyncscan.reader.storage;

/** A scope that is never cancelled and counts nothing. */
enum NullScope implements ReadScope {
    INSTANCE;

    @Override
    public boolean cancelled() {
        return false;
    }

    @Override
    public void onCancel(Runnable abort) {}

    @Override
    public void clearOnCancel() {}

    @Override
    public void requestSent() {}

    @Override
    public void received(int count) {}

    @Override
    public void retried(IOFault fault) {}
}
